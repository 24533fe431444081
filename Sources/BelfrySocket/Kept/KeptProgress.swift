// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
package import CBelfry

nonisolated extension belfry_progress {
    /// The progress after so many bytes more, to a subscriber who wants these names (nil: all) of what the ring holds; nil
    /// when it cannot be told, because the ring does not hold so much.
    package func advanced(by bytes: Int, _ names: Set<UTF8Text>?, _ ring: KeptRing) -> belfry_progress? {
        var progress = self
        var left = bytes
        let ofOwn = min(left, Int(progress.own))
        progress.own -= UInt32(ofOwn)
        left -= ofOwn
        guard left > 0 else { return progress }
        ring.forEach(from: next) { record in
            guard record.isWanted(by: names) else { return true }
            let rest = record.message.count - Int(progress.written)
            guard left >= rest else {
                progress = belfry_progress(
                    next: record.sequence, written: progress.written + UInt32(left), own: 0)
                left = 0
                return false
            }
            left -= rest
            progress = belfry_progress(next: record.sequence + 1, written: 0, own: 0)
            return left > 0
        }
        return left == 0 ? progress : nil
    }
}

nonisolated extension KeptRing.Record {
    /// Whether its name is one of these; nil stands for all.
    package func isWanted(by names: Set<UTF8Text>?) -> Bool {
        guard let names else { return true }
        return names.contains(UTF8Text(String(decoding: name, as: UTF8.self)))
    }
}
