// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfry_fleetd

extension HostReport {
    /// The report of a host, as it is published.
    static func sample(
        _ state: HostReport.State = .active, _ session: String = "s1", at now: Int64 = 0, boot: String? = "b1",
        sequence: Int64? = nil
    ) -> [UInt8] {
        var report = HostReport(state: state, session: session)
        report.timeUsec = now
        report.sinceUsec = 7
        if state.isConnected { report.validUntilUsec = now + 90_000_000 }
        report.bootID = boot
        report.sequence = sequence
        report.version = "1.0"
        return report.payload
    }
}

extension FleetView {
    /// Receives a report that the broker passes on at once.
    mutating func receive(state payload: [UInt8], of name: String, now: Int64) -> Change? {
        receive(state: payload, of: name, isRetained: false, now: now)
    }
}
