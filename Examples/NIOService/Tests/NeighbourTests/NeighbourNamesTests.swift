// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import Foundation
import NIOCore
import ServiceContextModule
import ServiceLifecycle
import Testing

/// Names of six libraries in one file, none of them qualified: that this compiles is what it shows.
struct NeighbourNamesTests {
    /// Every public type that the imports of Belfry give. `scripts/check` finds the ones that are missing here.
    static let own: [Any.Type] = [
        BackgroundTask.self, BelfryService.self, ByteSize.self,
        ChildExit.self,
        CompositeListener.self, DescriptorEvents.self, DescriptorEventSource.self, EventLoopClock.self,
        ExitRecord.self, FetchResult.self, JSONObject.self, JSONParseError.self, JSONValue.self,
        JSONValueDecoder.self, JSONValueEncoder.self, LaunchCause.self, LaunchOptions.self, LifecycleAction.self,
        LifecycleAnswer.self, LifecycleAnswerBuilder.self, (any LifecycleClock).self, LifecycleConfiguration.self,
        LifecycleDeadlines.self, (any LifecycleEvent).self, LifecycleEventError.self,
        (any LifecycleListener).self, LifecycleMediator.self, LifecycleNotification.self,
        LifecycleObservation.self,
        LifecycleOrigin.self, LifecycleProgress.self, LifecycleRefusal.self,
        LifecycleReloadError.self, LifecycleReport.self, LifecycleState.self, LifecycleTime.self,
        (any LifecycleTimer).self, LifecycleTrigger.self, ListenerHealth.self, ListenerHealthReport.self,
        ListenerOrderError.self, ListenerOutcome.self, ListenerProgress.self, ListenerRecord.self,
        ListenerRegistration.self, ListenerReport.self, ListenerStatus.self, (any ListenerWork).self, LoopSource.self,
        MainEventLoop.self,
        MemoryWarning.self, PeerOrigin.self, PendingTransition.self, ProtectedDataArrival.self,
        ProtectedDataLoss.self, ReceivedNotification.self,
        (any RestorableListener).self, ServiceComponent.self,
        ServiceMain.self, ServiceOptions.self, ServiceReadiness.self, ServiceRun.self, SettingsHandle<String>.self,
        SignalOrigin.self, (any StartupCommand).self, StartupSequence.self,
        StartupTime.self, Suspension.self, SystemError.self, Termination.self, TimeChange.self,
        TimerEventSource.self, TransitionReport.self, UnitExit.self, UserInfo.self,
        ChildCommand.self, ChildProcess.self, OwnedDescriptor.self, ServiceDescriptors.self, WorkSummary.self,
        WorkerRelaunch.self,
    ]

    @Test func ownNamesAreClear() { #expect(Set(Self.own.map(ObjectIdentifier.init)).count == Self.own.count - 1) }

    /// Baggage of a request, which a service may pass along next to its own types.
    enum RequestID: ServiceContextKey {
        typealias Value = String
    }

    @Test func contextOfARequestStandsBesideTheService() {
        var context = ServiceContext.topLevel
        context[RequestID.self] = "r1"

        #expect(context[RequestID.self] == "r1")
    }

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
        let services: [any Service] = [idle] + (group.map { [$0] } ?? [])
        try service.addServiceGroup(
            ServiceGroupConfiguration(services: services, logger: .current), readiness: ServiceReadiness())
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
