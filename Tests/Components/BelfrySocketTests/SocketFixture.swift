// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryEventLoop
import Lifecycle
@testable import BelfrySystemd
import BelfryListeners
@testable import BelfryMetricRegistry
import BelfrySocket
import LifecycleTesting
import TestSupport
import Testing
import Varlink

/// A launched service with a socket, and clients of it, on a loop that the test turns.
final class SocketFixture {
    let directory: TemporaryDirectory
    let loop: MainEventLoop
    let clock = ManualClock()
    let mediator: LifecycleMediator
    let socket: SocketListener
    let client: VarlinkClient
    let writer = RecordingWriter()
    let registry = MetricRegistry()
    private let source = ReloadSource()

    /// What a reload reads; nil leaves the configuration in effect.
    var readConfiguration: (() throws -> LifecycleConfiguration)? {
        get { source.read }
        set { source.read = newValue }
    }

    /// One reply, or an error.
    typealias Answer = Result<JSONObject, VarlinkError>

    init(
        manager: ServiceManagerSocket = ServiceManagerSocket(), received: [(name: String, descriptor: Int32)] = [],
        lastSequence: UInt64 = 0, application: ApplicationSettings? = nil,
        _ change: (inout SocketSettings) -> Void = { _ in }, describeRun: @escaping () -> UserInfo = { [:] }
    ) throws {
        directory = try TemporaryDirectory()
        loop = try MainEventLoop()
        var settings = BelfrySettings.defaults
        change(&settings.socket)
        var configuration = LifecycleConfiguration()
        let parameters = SocketParameters(settings)
        configuration[BelfrySettings.self] = settings
        configuration[LoggerSettings.self] = LoggerSettings()
        mediator = source.mediator(
            clock: clock, sequence: TransientSequence(after: lastSequence), configuration: configuration)
        let path = directory.path("socket")
        let store = SocketStore(ListenDescriptors(descriptors: received), manager: manager)
        socket = try SocketListener(
            loop: loop, mediator: mediator, parameters: parameters,
            identity: ServiceIdentity(
                service: "test", version: "1", bootID: "b007", invocationID: nil, pid: 1, startUsec: 0),
            endpoint: SocketEndpoint(path: path, store: store),
            retained: RetainedNotifications(
                parameters, bootID: "b007", store: store, log: ServiceLog { [writer] _ in writer }),
            registry: registry, log: ServiceLog { [writer] _ in writer }, describeRun: describeRun,
            application: application)
        try mediator.addListener(socket)
        mediator.perform(.launch)
        client = try VarlinkClient(path, on: loop)
    }

    isolated deinit {
        socket.close()
        // They refer to each other.
        mediator.removeListener(socket)
    }

    func connect() throws -> VarlinkClient { try VarlinkClient(directory.path("socket"), on: loop) }

    /// A method of `io.belfry.Lifecycle` may have its short name.
    private static func full(_ method: String) -> String {
        method.contains(".") ? method : "io.belfry.Lifecycle." + method
    }

    /// Calls a method and waits for its reply.
    func call(_ method: String, _ parameters: JSONObject = [:]) throws -> Answer {
        var answer: Answer?
        client.call(Self.full(method), parameters) { answer = $0 }
        try turn { answer != nil }
        return try #require(answer)
    }

    /// Calls a method with `more` on a connection of its own.
    func more(_ method: String, _ parameters: JSONObject) throws -> ReplyRecorder {
        try ReplyRecorder(connect(), Self.full(method), parameters)
    }

    /// Attaches a program as the listener `guard`, and waits until it is attached or refused.
    func attach(_ names: [JSONValue], _ more: JSONObject = [:]) throws -> ReplyRecorder {
        var parameters: JSONObject = ["listener": "guard", "names": .array(names), "confirm": true]
        for (key, value) in more { parameters[key] = value }
        let attached = try self.more("Attach", parameters)
        try turn { !attached.replies.isEmpty || attached.isOver }
        return attached
    }

    /// Waits until an attached program has been asked `number` times, and answers the last question.
    @discardableResult
    func answer(
        _ attached: ReplyRecorder, _ number: Int, _ outcome: JSONValue, _ reason: JSONValue? = nil
    ) throws -> Answer {
        try turn { attached.replies.count == number + 1 }
        var parameters: JSONObject = ["token": attached.replies[number]["token"] ?? .null, "outcome": outcome]
        parameters["reason"] = reason
        return try call("Answer", parameters)
    }

    func turn(until condition: () -> Bool) throws { try loop.turn(until: condition) }
}
