// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import TestSupport
import Testing

@testable import belfry_fleetd

/// Hosts that are killed and restarted, and a broker that loses and doubles messages and goes away.
struct RandomFleetViewTests {
    /// A host and what the view has said to be new of it.
    private struct Host {
        let name: String
        var session = 0
        var boot = 0
        var sequence: Int64 = 0
        /// The last numbers of the boots before.
        var ended: [Int64] = []
        var isConnected = true
        /// The boot and the number of the last new notification.
        var last: (boot: Int, number: Int64)?
    }

    private var random = SeededRandom(seed: 0)
    private var view = FleetView()
    private var now: Int64 = 0
    private var hosts = (1...3).map { Host(name: "h\($0)") }
    private var isBrokerThere = false

    @Test(arguments: UInt64(0)..<300)
    mutating func nothingIsLostAndNothingIsDoubled(seed: UInt64) {
        random = SeededRandom(seed: seed)
        view.follow(true)
        connect()
        for _ in 0..<300 { step() }

        isBrokerThere = true
        view.brokerLost()
        connect()
        for place in hosts.indices { reconnect(place) }
        for _ in 0..<20 { sweep(losing: 0) }

        for host in hosts {
            let number = host.last?.boot == host.boot ? host.last?.number : 0
            #expect(number == host.sequence, "\(host)")
            let status = view.status(of: host.name, now: now)
            #expect(status?.state == .active && status?.sequence == host.sequence)
        }
    }

    private mutating func step() {
        let place = Int.random(in: hosts.indices, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9: post(place)
        case 9..<11: if hosts[place].isConnected { report(place) }
        case 11..<13: reconnect(place)
        case 13:
            hosts[place].ended.append(hosts[place].sequence)
            hosts[place].boot += 1
            hosts[place].sequence = 0
            reconnect(place)
        case 14:
            hosts[place].isConnected = false
            if isBrokerThere { receive(HostReport.will(session: "s\(hosts[place].session)").payload, place) }
        case 15: if isBrokerThere { disconnect() } else { connect() }
        default: sweep(losing: 4)
        }
    }

    private mutating func connect() {
        isBrokerThere = true
        view.brokerConnected()
        for place in hosts.indices where hosts[place].isConnected { report(place) }
    }

    private mutating func disconnect() {
        isBrokerThere = false
        view.brokerLost()
    }

    private mutating func reconnect(_ place: Int) {
        hosts[place].session += 1
        hosts[place].isConnected = true
        if Bool.random(using: &random) { report(place, isEarly: true) }
        report(place)
    }

    /// - Parameter isEarly: whether the host does not know its service yet.
    private mutating func report(_ place: Int, isEarly: Bool = false) {
        let host = hosts[place]
        var report = HostReport(state: .active, session: "s\(host.session)")
        report.validUntilUsec = now + 1_000_000_000
        if !isEarly {
            report.bootID = "b\(host.boot)"
            report.sequence = host.sequence
        }
        if isBrokerThere { receive(report.payload, place) }
    }

    private mutating func receive(_ payload: [UInt8], _ place: Int) {
        _ = view.receive(state: payload, of: hosts[place].name, now: now)
        // The view begins with what the host has when it is first heard of.
        if hosts[place].last == nil, hosts[place].isConnected {
            hosts[place].last = (hosts[place].boot, hosts[place].sequence)
        }
    }

    private mutating func post(_ place: Int) {
        hosts[place].sequence += 1
        // The broker delivers it, loses it, or delivers it twice.
        let times = Int.random(in: 0..<4, using: &random) / 2 + Int.random(in: 0..<2, using: &random)
        guard isBrokerThere, hosts[place].isConnected else { return }
        for _ in 0..<times { receive(place, hosts[place].sequence) }
    }

    private mutating func receive(_ place: Int, _ number: Int64, boot: Int? = nil) {
        let boot = boot ?? hosts[place].boot
        let notification: JSONObject = ["sequence": .int(number), "bootId": .string("b\(boot)")]
        guard view.receive(notification, of: hosts[place].name) else { return }
        let last = hosts[place].last
        let expected = last?.boot == boot ? (last?.number ?? 0) + 1 : 1
        #expect(number == expected && boot >= last?.boot ?? 0, "\(hosts[place])")
        if let last, last.boot == boot - 1, hosts[place].boot - last.boot <= HostRecord.earlierMax {
            #expect(last.number == hosts[place].ended[last.boot], "\(hosts[place])")
        }
        hosts[place].last = (boot, number)
    }

    /// Hosts are asked, and answer what they were asked before. One message of `losing` is lost; 0 for none.
    private mutating func sweep(losing: Int) {
        now += 1_000_000
        for gap in view.sweep(now: now).gaps {
            for place in hosts.indices where hosts[place].name == gap.host { answer(place, gap, losing) }
        }
    }

    private mutating func answer(_ place: Int, _ gap: FleetView.Gap, _ losing: Int) {
        guard hosts[place].isConnected else {
            return #expect(view.endQuestion(to: gap.host, .later) == nil)
        }
        let boot = Int(gap.bootID.dropFirst()) ?? 0
        let end = boot == hosts[place].boot ? hosts[place].sequence : hosts[place].ended[boot]
        for number in gap.after..<max(gap.after, end) {
            if losing > 0, Int.random(in: 0..<losing, using: &random) == 0 { continue }
            receive(place, number + 1, boot: boot)
        }
        let missing = view.endQuestion(to: gap.host, .done(last: max(gap.after, end)))
        // It was lost twice. Operators are told.
        if let missing {
            #expect(losing > 0 && missing.first == gap.after + 1)
            hosts[place].last = (boot, missing.last ?? 0)
        }
    }
}
