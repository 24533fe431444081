// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// A request that was answered.
struct Served: LifecycleEvent, Codable {
    var path: String
    var status: Int

    var logText: String? { "GET \(path) \(status)" }
}

/// An event that has no record.
struct Quiet: LifecycleEvent, Codable {
    static let isLogged = false
}

/// At a flush, posts events and waits in each way that there is. Prints what it got.
final class EventListener: LifecycleListener {
    let name = "probe"
    private let mediator: LifecycleMediator

    init(_ service: BelfryService) {
        mediator = service.mediator
        service.observe(.flushRequested) { _ in say("flush observed") }
        service.observeEvent(Served.self) { say("served \($0.path)") }
        service.observeEvent(Quiet.self) { _ in say("quiet") }
    }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in
            await mediator.post(Quiet())
            say("threads after the first wait: \(Self.threads)")
            let report = await mediator.post(Served(path: "/a", status: 200))
            await mediator.post(Served(path: "/b", status: 404))
            let done = try await mediator.withBackgroundTask("upload", deadline: .seconds(5)) { [mediator] _ in
                for _ in 0..<2 { await mediator.post(Quiet()) }
                return "done"
            }
            say("\(done), \(report.listeners.map(\.listener))")
        }
        onEvent(Served.self) { _ in await Task.yield() }
    }

    private static var threads: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = -2  // itself and its parent
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
