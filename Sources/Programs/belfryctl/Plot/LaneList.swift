// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

/// The lanes of a plot, one for each name in the order of appearance. Names beyond a limit share the last one.
struct LaneList {
    let labels: [String]
    private var lanes: [UTF8Text: Int] = [:]

    init(_ names: [String], limit: Int, rest: String) {
        var labels: [String] = []
        var hasMore = false
        for name in names where lanes[UTF8Text(name)] == nil {
            guard labels.count < limit else {
                hasMore = true
                continue
            }
            lanes[UTF8Text(name)] = labels.count
            labels.append(name)
        }
        self.labels = hasMore ? labels + [rest] : labels
    }

    func lane(of name: String) -> Int { lanes[UTF8Text(name)] ?? labels.count - 1 }
}

/// The free places in the lanes of a plot, so that no label is drawn over another or over a mark.
struct LaneLabels {
    private var marks: [Int: [Double]] = [:]
    private var taken: [Int: Double] = [:]
    private let end: Double

    init(marks: [(lane: Int, place: Double)], end: Double) {
        for (lane, place) in marks { self.marks[lane, default: []].append(place) }
        for lane in self.marks.keys { self.marks[lane]?.sort() }
        self.end = end
    }

    /// Whether there is room for a label of this width after the mark at `place`. The room is then taken.
    mutating func fits(_ width: Double, at x: Double, in lane: Int, from place: Double) -> Bool {
        let marks = marks[lane] ?? []
        // The first mark after this one, by bisection.
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle] > place { high = middle } else { low = middle + 1 }
        }
        let limit = low < marks.count ? marks[low] - 4 : end
        guard x + width <= limit, x >= taken[lane] ?? 0 else { return false }
        taken[lane] = x + width
        return true
    }
}
