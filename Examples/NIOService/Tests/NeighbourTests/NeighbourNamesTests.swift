// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import Foundation
import NIOCore
import ServiceLifecycle
import Testing

/// Names of four libraries in one file, none of them qualified: that this compiles is what it shows.
struct NeighbourNamesTests {
    struct Idle: Service {
        let loop: (any EventLoop)?
        let promise: EventLoopPromise<Void>?
        let channel: (any Channel)?

        func run() async throws { try await gracefulShutdown() }
    }

    @MainActor final class Neighbour: LifecycleListener {
        var heard: [LifecycleNotification.Name] = []
        var posted: [Notification.Name] = []

        var answers: [LifecycleAnswer] {
            on(.didBecomeActive, deadline: .seconds(1)) { [self] notification in heard.append(notification.name) }
        }

        func hear(_ notification: Notification) { posted.append(notification.name) }
    }

    @MainActor func compose(_ service: BelfryService, _ loop: MainEventLoop) throws {
        let group: ServiceGroup? = nil
        let idle: any Service = Idle(loop: nil, promise: nil, channel: nil)
        try service.addServiceGroup(services: [idle] + (group.map { [$0] } ?? []), readiness: ServiceReadiness())
        let timer: TimerEventSource = try loop.timer(after: .seconds(1)) {}
        let own = LifecycleMediator(clock: EventLoopClock(service.loop))
        do throws(SystemError) { try timer.fire(after: .seconds(2)) } catch { print(error.reason) }
        let amount: TimeAmount = .seconds(1)
        let state: LifecycleState = service.mediator.state
        _ = (
            timer, own, amount, state, Date(), URL(fileURLWithPath: "/"), Timer.self, Process.self, Duration.seconds(1)
        )
    }

    @MainActor @Test func centersOfBothLibrariesStandSideBySide() async {
        let neighbour = Neighbour()
        let center = NotificationCenter()
        let token = center.addObserver(forName: Notification.Name("hello"), object: nil, queue: nil) { notification in
            let name = notification.name
            MainActor.assumeIsolated { neighbour.posted.append(name) }
        }

        center.post(Notification(name: Notification.Name("hello")))
        center.removeObserver(token)

        #expect(neighbour.posted == [Notification.Name("hello")])
        #expect(neighbour.answers.map(\.name) == [.didBecomeActive])
    }
}
