// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

final class IndexListener: LifecycleListener {
    var follows: [String] { ["StoreListener"] }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in try await open() }
        on(.willTerminate) { [self] _ in try await close() }
    }
}

extension IndexListener {
    private func open() async throws {}
    private func close() async throws {}
}

final class StoreListener: LifecycleListener {
    private let settings: SettingsHandle<StoreSettings>
    private let store = Store()

    init(_ settings: SettingsHandle<StoreSettings>) { self.settings = settings }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching, deadline: .seconds(20)) { [self] _ in try await store.open() }
        on(.willReload) { [self] notification in
            guard store.accepts(settings.value(in: notification)) else {
                throw LifecycleRefusal("the store cannot shrink while it runs")
            }
        }
        on(.didReload) { [self] in store.apply(settings.value(in: $0)) }
        on(.didFailToReload) { [self] in store.apply(settings.value(in: $0)) }
        on(.willTerminate) { [self] _ in try await store.close() }
    }
}

nonisolated struct StoreSettings: Decodable, Sendable {
    var sizeMax: ByteSize?
}

struct Store {
    func open() async throws {}
    func close() async throws {}
    func accepts(_ settings: StoreSettings) -> Bool { true }
    func apply(_ settings: StoreSettings) {}
    func send() async throws {}
    func giveBack() {}
    func shutDown() {}
}

func stored() {
    ServiceMain.run(ServiceOptions(name: "stored")) { service in
        let settings = try service.settings(StoreSettings.self, section: "Store")
        try service.mediator.addListener(StoreListener(settings))
        try service.mediator.addListener(IndexListener())
    }
}

func upload(_ mediator: LifecycleMediator, _ queue: Store) async throws {
    mediator.deadlines = LifecycleDeadlines(listener: .seconds(5), stop: .seconds(20), transition: .seconds(60))

    let upload = mediator.beginBackgroundTask(named: "upload", deadline: .seconds(30)) { queue.giveBack() }
    try await queue.send()
    upload.end()

    try await mediator.withBackgroundTask("upload", deadline: .seconds(30)) { _ in try await queue.send() }
}

func observe(_ mediator: LifecycleMediator, _ legacy: Store) -> LifecycleObservation {
    let observation = mediator.addObserver(forName: .willTerminate) { _ in legacy.shutDown() }
    return observation
}
