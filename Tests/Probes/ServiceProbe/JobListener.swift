// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Does a job of N seconds for each request of `/N`, and drains: it refuses jobs from `willResignActive` on, and finishes those that it has accepted.
final class JobListener: LifecycleListener {
    let name = "probe"
    private let mediator: LifecycleMediator
    private let loop: MainEventLoop
    private var socket: DescriptorEventSource?
    private var takesJobs = false

    init(_ service: BelfryService) { (mediator, loop) = (service.mediator, service.loop) }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in socket = try listen { [self] in receive($0) } }
        on(.didBecomeActive) { [self] _ in takesJobs = true }
        on(.willResignActive) { [self] _ in takesJobs = false }
    }

    private func receive(_ request: Request) {
        if request.path == "/healthz" { return request.reply(takesJobs ? 200 : 503) }
        guard takesJobs else { return request.reply(503) }
        let task = mediator.beginBackgroundTask(named: "job", deadline: .seconds(30))
        request.accept()
        Task {
            await work(on: request)
            request.finish()
            task.end()
        }
    }

    private func work(on request: Request) async {
        let seconds = Int(request.path.dropFirst()) ?? 0
        try? await Task.sleep(for: .seconds(seconds))
    }

    private func listen(_ onRequest: @escaping (Request) -> Void) throws -> DescriptorEventSource {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let listening = OwnedDescriptor(owning: socket)
        var (reuse, address) = (Int32(1), sockaddr_in())
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(8080).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let bound = withUnsafeBytes(of: &address) {
            bind(socket, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
        guard bound == 0, Glibc.listen(socket, SOMAXCONN) == 0 else {
            throw LifecycleRefusal("unable to listen on port 8080: \(String(cString: strerror(errno)))")
        }
        return try loop.source(owning: listening, .readable) { [loop] _ in
            let client = Glibc.accept(socket, nil, nil)
            if client >= 0 { try? Request(OwnedDescriptor(owning: client)).read(on: loop, onRequest) }
        }
    }
}

/// A request of HTTP, on a connection of its own. The reply to a job begins when the job is accepted, and ends when it is done.
final class Request {
    private(set) var path = ""
    private let client: OwnedDescriptor
    private var source: DescriptorEventSource?

    init(_ client: OwnedDescriptor) { self.client = client }

    /// Calls `body` when the request has come.
    func read(on loop: MainEventLoop, _ body: @escaping (Request) -> Void) throws {
        source = try loop.source(descriptor: client.number, .readable) { [self] _ in
            source = nil
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = max(recv(client.number, &bytes, bytes.count, 0), 0)
            let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
            guard words.count > 1 else { return }
            path = String(words[1])
            body(self)
        }
    }

    func reply(_ status: Int) { send("HTTP/1.1 \(status) \r\nContent-Length: 0\r\nConnection: close\r\n\r\n") }

    func accept() {
        send("HTTP/1.1 200 \r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
        say("job accepted")
    }

    func finish() {
        send("done")
        say("job finished")
    }

    private func send(_ text: String) { Glibc.send(client.number, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
}
