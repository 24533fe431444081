// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What falls to one of those who share a time, one after the other.
///
/// Everybody has what he wants while there is enough for all. Otherwise the time is shared out in proportion, among him
/// and those who come later, so that whoever is slow costs the others nothing; what he leaves is shared anew.
package nonisolated struct TimeShare: Sendable, Equatable {
    /// The time he wants.
    package let wanted: Duration
    /// The time he has.
    package let time: Duration
    /// What is kept for those who come later.
    package let reserve: Duration

    /// - Parameters:
    ///   - wanted: the time he wants.
    ///   - later: what those who come later want, together.
    ///   - left: what is left for all.
    package init(of wanted: Duration, before later: Duration = .zero, within left: Duration) {
        let wanted = wanted.bounded
        let left = max(left, .zero)
        self.wanted = wanted
        if wanted + later <= left {
            time = wanted
        } else if wanted <= .zero {
            time = .zero
        } else {
            let product = wanted.wholeMicroseconds.multipliedFullWidth(by: left.wholeMicroseconds)
            // Less than a microsecond is wanted when the divisor is 0.
            let all = max((wanted + later).wholeMicroseconds, 1)
            time = .microseconds(all.dividingFullWidth(product).quotient)
        }
        reserve = min(later, left - time)
    }

    /// The whole time that is wanted, whatever is left.
    package init(_ wanted: Duration) {
        self.wanted = wanted.bounded
        time = self.wanted
        reserve = .zero
    }
}
