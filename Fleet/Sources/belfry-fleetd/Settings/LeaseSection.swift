// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The section `[Lease]` of fleet.conf: a FleetLock server that says how many hosts may be paused at a time.
nonisolated struct LeaseSection: Sendable, Equatable {
    /// The base of the server's address; nil for no leases.
    var url: String?
    /// The group of hosts that share a limit.
    var group = "default"
    /// The name of this host there; nil for that of the fleet.
    var id: String?
    /// The certificates of the authorities that are trusted; nil for those of the system.
    var caFile: String?
}

nonisolated extension LeaseSection: Decodable {
    private enum CodingKeys: String, CodingKey {
        case url, group, id
        case caFile = "CAFile"
    }

    init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        url = try values.decodeIfPresent(String.self, forKey: .url)
        group = try values.decodeIfPresent(String.self, forKey: .group) ?? group
        id = try values.decodeIfPresent(String.self, forKey: .id)
        caFile = try values.decodeIfPresent(String.self, forKey: .caFile)
        try values.check(
            url.map { url in ["https://", "http://"].contains { url.utf8.starts(with: $0.utf8) } } ?? true, .url,
            "expected an address that begins with https:// or http://")
        try values.check(FleetName.isValid(group), .group, FleetName.form)
        try values.check(id.map(FleetName.isValid) ?? true, .id, FleetName.form)
    }
}
