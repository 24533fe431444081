// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import CBelfry
internal import Glibc

/// A connection to the system's or a user's message bus, which is made when the bus is there and again when it comes
/// back.
///
/// It neither blocks nor polls: the connection is made on the loop, and inotify(7) waits for a bus that is not there
/// yet. Users add an observer, call methods while it is ready, and keep their matches, which hold over all
/// connections. Source: sd-bus(3), sd_bus_set_watch_bind(3).
@MainActor
package final class SystemBus {
    package let loop: MainEventLoop
    private let address: String
    private let isDirect: Bool
    private var connection: OpaquePointer?
    private var retry = BusRetry()
    private var reconnection: TimerEventSource?
    private var calls: [ObjectIdentifier: BusCall] = [:]
    private var matches: [Reference] = []
    private var observers: [(Bool) -> Void] = []

    private struct Reference {
        weak var match: BusMatch?
    }

    /// Whether calls can be made now.
    package private(set) var isReady = false

    /// A connection that is not made before `connect()`.
    ///
    /// - Parameters:
    ///   - address: as the D-Bus specification writes it.
    ///   - isDirect: whether a single program is there and no bus: nobody else can be reached, and nothing is owned.
    package init(loop: MainEventLoop, address: String, isDirect: Bool = false) {
        self.loop = loop
        self.address = address
        self.isDirect = isDirect
    }

    /// A connection to the system's bus: `$DBUS_SYSTEM_BUS_ADDRESS`, else the usual place.
    package convenience init(loop: MainEventLoop) {
        let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
        self.init(loop: loop, address: address ?? "unix:path=/run/dbus/system_bus_socket")
    }

    isolated deinit { sd_bus_close_unref(connection) }

    /// Begins to connect, and keeps connecting from now on. It does nothing when that was begun.
    package func connect() {
        guard connection == nil, reconnection == nil else { return }
        open()
    }

    /// Calls `handler` with true whenever the bus becomes ready, at once if it is, and with false when it is lost.
    /// Pending calls have failed before.
    package func addObserver(_ handler: @escaping (_ isReady: Bool) -> Void) {
        observers.append(handler)
        if isReady { handler(true) }
    }

    /// Asks a question.
    ///
    /// - Parameters:
    ///   - timeout: how long the answer may take.
    ///   - completion: called once with the answer or with the reason why there is none, unless the call is cancelled;
    ///     before this returns if there is no connection.
    @discardableResult
    package func ask<Answer>(
        _ question: BusQuestion<Answer>, timeout: Duration = .seconds(25),
        then completion: @escaping (Result<Answer, BusError>) -> Void
    ) -> BusCall {
        let attempt = question.attempt
        let call = BusCall(attempt, on: self) { completion(question.answer(in: $0)) }
        guard let connection, isReady else {
            call.finish(.failure(.notConnected(attempt)))
            return call
        }
        calls[ObjectIdentifier(call)] = call
        var message: OpaquePointer?
        var result = question.message(on: connection, &message)
        defer { sd_bus_message_unref(message) }
        if let message, result >= 0 { result = call.send(message, over: connection, timeout: timeout) }
        if result < 0 { call.finish(.failure(BusError(attempt, result))) }
        return call
    }

    /// Calls `handler` for each signal of this kind until the match is dropped, over this connection and all later
    /// ones.
    package func match(
        _ signal: BusMember, firstArgument: String? = nil, _ handler: @escaping (BusMessage) -> Void
    ) -> BusMatch {
        let match = BusMatch(signal.rule(firstArgument: firstArgument), handler)
        matches.removeAll { $0.match == nil }
        matches.append(Reference(match: match))
        if let connection, isReady { _ = match.install(on: connection) }
        return match
    }

    func forget(_ call: BusCall) { calls[ObjectIdentifier(call)] = nil }

    private func open() {
        reconnection = nil
        if make() < 0 { lose() }
    }

    /// Makes a connection and lets it connect. Returns 0 or -errno.
    private func make() -> Int32 {
        var result = sd_bus_new(&connection)
        guard result >= 0, let connection else { return result }
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        func step(_ body: () -> Int32) { if result >= 0 { result = body() } }
        step { sd_bus_set_address(connection, address) }
        step { sd_bus_set_bus_client(connection, isDirect ? 0 : 1) }
        step { sd_bus_set_watch_bind(connection, 1) }
        step { sd_bus_set_connected_signal(connection, 1) }
        step { sd_bus_add_match(connection, nil, Self.local("Connected"), Self.connected, userdata) }
        step { sd_bus_add_match(connection, nil, Self.local("Disconnected"), Self.disconnected, userdata) }
        step { sd_bus_start(connection) }
        step { sd_bus_attach_event(connection, loop.event, 0) }
        return result
    }

    private func becomeReady() {
        guard let connection else { return }
        retry.connected(at: .now)
        isReady = true
        for reference in matches { _ = reference.match?.install(on: connection) }
        for observer in observers { observer(true) }
    }

    /// The connection is lost. The next one is made from the loop, never from a callback of this one.
    private func lose() {
        let wasReady = isReady
        isReady = false
        for reference in matches { reference.match?.uninstall() }
        for call in Array(calls.values) { call.finish(.failure(.notConnected(call.attempt))) }
        sd_bus_close_unref(connection)
        connection = nil
        reconnection = try? loop.timer(after: retry.disconnected(at: .now)) { [unowned self] in open() }
        if wasReady { for observer in observers { observer(false) } }
    }

    private static func local(_ member: String) -> String {
        let name = "org.freedesktop.DBus.Local"
        return BusMember(name, "/org/freedesktop/DBus/Local", name, member).rule()
    }

    private nonisolated static let connected: sd_bus_message_handler_t = { message, userdata, _ in
        receive(SystemBus.self, userdata, message) { bus, _ in bus.becomeReady() }
    }

    private nonisolated static let disconnected: sd_bus_message_handler_t = { message, userdata, _ in
        receive(SystemBus.self, userdata, message) { bus, _ in bus.lose() }
    }
}
