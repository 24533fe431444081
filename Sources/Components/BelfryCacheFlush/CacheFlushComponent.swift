// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfryListeners
internal import Glibc
internal import Lifecycle

extension ServiceComponent {
    /// Writes back and trims the directory of each `[Cache NAME]` section of the configuration, on the notifications in
    /// its `On=`.
    public nonisolated static var cacheFlush: ServiceComponent { ServiceComponent(CacheFlushComponent.self) }
}

/// The component that adds the listener.
final class CacheFlushComponent: RunningComponent {
    static nonisolated let name = "cacheFlush"

    private let log: ServiceLog
    private var listener: CacheFlushListener?

    static nonisolated func check(_ loaded: LoadedConfiguration, _ options: ServiceOptions) -> LoadedConfiguration {
        let (environment, uid) = (Environment.variables, geteuid())
        return loaded.checkingCaches(
            environment: environment, uid: uid, name: options.directoryName,
            specifiers: Specifiers(
                environment: environment, uid: uid, service: options.instanceName, instance: options.instance))
    }

    init(_ service: ComponentParameters) { log = service.log }

    func addLastListeners(_ service: ComponentContext) throws {
        let listener = CacheFlushListener(mediator: service.mediator, log: log)
        self.listener = listener
        try service.mediator.addListener(listener)
    }

    func end() { listener?.end() }
}
