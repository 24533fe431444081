// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Finds the name that was probably meant by a misspelt one.
package nonisolated enum NearestName {
    /// Longer names are not compared, in bytes: the cost is the product of both lengths.
    private static let longest = 64

    /// The candidate nearest to `name`, if at most `limit` letters differ, by default about a third of the candidate's.
    /// Case is ignored. Of several equally near candidates, the first is returned.
    package static func find(
        _ name: String, in candidates: some Sequence<String>,
        limit: (String) -> Int = { max(1, ($0.unicodeScalars.count + 1) / 3) }
    ) -> String? {
        guard !name.isEmpty, name.utf8.count <= longest else { return nil }
        let name = name.lowercased()
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let most = min(limit(candidate), (best?.distance ?? .max) - 1)
            // The distance is at least the difference of the lengths.
            guard abs(candidate.unicodeScalars.count - name.unicodeScalars.count) <= most else { continue }
            let distance = distance(name, candidate.lowercased())
            if distance <= most {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// The end of a message: `, did you mean 'candidate'?`, or empty.
    package static func question(_ name: String, in candidates: some Sequence<String>) -> String {
        find(name, in: candidates).map { ", did you mean '\($0)'?" } ?? ""
    }

    /// The number of insertions, deletions, replacements and transpositions that turn one name into the other.
    package static func distance(_ first: String, _ second: String) -> Int {
        let rows = Array(first.unicodeScalars)
        let columns = Array(second.unicodeScalars)
        var beforeLast = [Int]()
        var last = Array(0...columns.count)
        for row in rows.indices {
            var current = [row + 1]
            for column in columns.indices {
                let replaced = last[column] + (rows[row] == columns[column] ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, rows[row] == columns[column - 1], rows[row - 1] == columns[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[columns.count]
    }
}
