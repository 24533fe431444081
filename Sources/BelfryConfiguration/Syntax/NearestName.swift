// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Finds what was probably meant by a misspelt name.
package nonisolated enum NearestName {
    /// Bytes of a name that is compared at all; the work is the product of both lengths.
    private static let longest = 64

    /// The candidate nearest to `name`, when it is near enough to be worth a question: at most about a third of
    /// its letters differ. Case does not count. The first of several equally near ones wins.
    package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        find(name, in: candidates) { max(1, ($0.unicodeScalars.count + 1) / 3) }
    }

    /// The same with a limit of its own for how many letters may differ from a candidate.
    package static func find(
        _ name: String, in candidates: some Sequence<String>, limit: (String) -> Int
    ) -> String? {
        guard !name.isEmpty, name.utf8.count <= longest else { return nil }
        let name = name.lowercased()
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let most = min(limit(candidate), (best?.distance ?? .max) - 1)
            // As many letters differ as one has more than the other, if not more.
            guard abs(candidate.unicodeScalars.count - name.unicodeScalars.count) <= most else { continue }
            let distance = distance(name, candidate.lowercased())
            if distance <= most {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// The end of a message: `, did you mean 'candidate'?`, or nothing.
    package static func question(_ name: String, in candidates: some Sequence<String>) -> String {
        find(name, in: candidates).map { ", did you mean '\($0)'?" } ?? ""
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
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
