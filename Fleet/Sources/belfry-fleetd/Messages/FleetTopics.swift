// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// The topics of one fleet: `belfry/FLEET/HOST/…`. The broker's access rules bind each client to those with its own name.
nonisolated struct FleetTopics: Sendable, Equatable {
    /// What a topic is for.
    enum Use: Sendable, Equatable {
        /// The state of a host, retained.
        case state
        /// A notification of a host.
        case notification
        /// A command to a host.
        case command(sender: String)
        /// Answers of a host to the commands of a sender.
        case reply(sender: String)
    }

    let fleet: String

    func state(of host: String) -> String { "belfry/\(fleet)/\(host)/state" }

    func notification(_ name: String, of host: String) -> String { "belfry/\(fleet)/\(host)/notification/\(name)" }

    func command(from sender: String, to host: String) -> String { "belfry/\(fleet)/\(host)/command/\(sender)" }

    func reply(to sender: String, from host: String) -> String { "belfry/\(fleet)/\(host)/reply/\(sender)" }

    /// Whose a topic is, and what for; nil for one of another fleet or form.
    func parse(_ topic: String) -> (host: String, use: Use)? {
        let parts = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard (4...5).contains(parts.count), parts[0].hasSameBytes(as: "belfry"), parts[1].hasSameBytes(as: fleet),
            FleetName.isValid(parts[2])
        else { return nil }
        switch (UTF8Text(parts[3]), parts.count) {
        case ("state", 4): return (parts[2], .state)
        case ("notification", 5): return (parts[2], .notification)
        case ("command", 5) where FleetName.isValid(parts[4]): return (parts[2], .command(sender: parts[4]))
        case ("reply", 5) where FleetName.isValid(parts[4]): return (parts[2], .reply(sender: parts[4]))
        default: return nil
        }
    }
}

/// The name of a fleet, a host or a sender, and other identities: 1 to 64 letters, digits, dots, hyphens and underscores.
nonisolated enum FleetName {
    /// What a message says of a name that is not valid.
    static let form = "expected 1 to 64 letters, digits, '.', '-' and '_'"

    static func isValid(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

nonisolated extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// The case with these UTF-8 bytes.
    init?(bytes: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: bytes) }) else { return nil }
        self = found
    }
}
