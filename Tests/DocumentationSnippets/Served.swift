// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

struct Served: LifecycleEvent, Codable {
    var path: String
    var status: Int
    var logText: String? { "GET \(path) \(status)" }
}

func serve(_ service: BelfryService, _ cache: Cache) {
    service.observe(.didReceiveMemoryWarning) { _ in cache.shrink() }
    service.observeEvent(Termination.self) { end in print(end.reason) }

    service.mediator.post(Served(path: "/a", status: 200))
}

func work(_ service: BelfryService, on queue: AsyncStream<Int>, _ process: @escaping (Int) async throws -> Void) throws
{
    try service.addWorker("jobs") { for await job in queue { try await process(job) } }
}

func serveAndWait(_ service: BelfryService, _ queue: Store) async throws -> LifecycleReport {
    let report = await service.mediator.post(Served(path: "/a", status: 200))
    service.mediator.perform(.pause) { _ in }
    try await service.mediator.withBackgroundTask("upload", deadline: .seconds(30)) { _ in try await queue.send() }
    return report
}
