// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import AsyncHTTPClient
import Belfry
import BelfryHummingbird
import BelfryServer
import BelfryTesting
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import LifecycleTesting
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// An active service that answers HTTP at a path, and what its router has seen.
@MainActor final class HTTPFixture {
    /// What is spoken at the path.
    enum Kind {
        case plain, tls, http2

        var version: String { self == .http2 ? "HTTP/2.0" : "HTTP/1.1" }
    }

    /// Slow requests wait until it is opened.
    let gate = Gate()
    let logged = LogRecords()
    var address: ServerAddress
    private(set) var server: ConnectionServer?
    private var service: TestService?

    var test: TestService { service! }
    var state: LifecycleState { test.service.mediator.state }
    var connectionCount: Int { server?.connectionCount ?? 0 }

    /// A service at a path, or on a socket of systemd.
    init(_ kind: Kind = .plain, on socket: TestSocket? = nil) async throws {
        address = socket == nil ? .random : .systemd("http")
        let logger = Logger(label: "test") { [logged] _ in logged }
        let answer = router().buildResponder().answer(logger: logger)
        let http: any ServerChildChannel =
            switch kind {
            case .plain: HTTP1Channel(responder: answer, configuration: .draining)
            case .tls:
                try TLSChannel(
                    HTTP1Channel(responder: answer, configuration: .draining),
                    tlsConfiguration: TestCertificate.serverConfiguration())
            case .http2:
                try HTTP2UpgradeChannel(
                    tlsConfiguration: TestCertificate.serverConfiguration(),
                    configuration: .init(streamConfiguration: .draining), responder: answer)
            }
        let descriptors = try socket.map { [("http", try $0.copy())] } ?? []
        let test = try TestService(descriptors: descriptors) { service in
            let added = ConnectionServer(service, named: "http", at: { [unowned self] _ in self.address }) {
                try $0.serve(http, logger: logger)
            }
            try service.mediator.addListener(added)
            server = added
        }
        self.service = test
        await test.script.run(.perform(.launch))
    }

    /// Begins a pause, and does not wait for it.
    func pause() { test.service.mediator.perform(.pause) { _ in } }

    private struct Failure: Error {}

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in "hello\n" }
        router.get("slow") { [gate] _, _ in
            await gate.pass()
            return "slow\n"
        }
        router.get("identifier") { _, context in
            let inContext = context.logger[metadataKey: "hb.request.id"]
            return inContext == Logger.current[metadataKey: "hb.request.id"] ? inContext?.description ?? "" : ""
        }
        router.get("failure") { _, _ -> String in throw Failure() }
        router.post("echo") { request, _ in Response(status: .ok, body: .init(asyncSequence: request.body)) }
        return router
    }
}

/// What a client that keeps its connections has received.
struct Received: Sendable {
    let version: String
    let connection: String?
    let body: String
}

extension HTTPClient {
    /// Sends a request over TLS to a service at a path.
    func get(_ path: String, at address: ServerAddress) async throws -> Received {
        let host = address.description.replacing("/", with: "%2F")
        var request = HTTPClientRequest(url: "https+unix://\(host)\(path)")
        request.headers.add(name: "host", value: "test")
        let response = try await execute(request, timeout: .seconds(30))
        return Received(
            version: "\(response.version)", connection: response.headers.first(name: "connection"),
            body: String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    /// Accepts any certificate.
    static var trusting: Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        return Configuration(tlsConfiguration: tls)
    }
}

extension ServerAddress {
    /// A path that nothing uses.
    static var random: ServerAddress { .path("/tmp/belfry-http-\(UInt64.random(in: 0...UInt64.max))") }
}

/// What waits until it is opened.
final class Gate: Sendable {
    private let waiting = Mutex(0)
    private let opening = AsyncStream<Void>.makeStream()

    /// How many have come to it so far.
    var arrived: Int { waiting.withLock(\.self) }

    func pass() async {
        waiting.withLock { $0 += 1 }
        for await _ in opening.stream {}
    }

    func open() { opening.continuation.finish() }
}

/// Keeps what is logged.
struct LogRecords: LogHandler {
    private final class Texts: Sendable {
        let kept = Mutex<[String]>([])
    }

    private let kept = Texts()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    var texts: [String] { kept.kept.withLock(\.self) }

    func log(event: LogEvent) { kept.kept.withLock { $0.append("\(event.level) \(event.message)") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
