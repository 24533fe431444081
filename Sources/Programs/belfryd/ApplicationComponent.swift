// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryConfiguration
internal import BelfryListeners

/// Stands for the application of this instance, if there is one.
final class ApplicationComponent: RunningComponent {
    static nonisolated let name = "application"

    private let settings: ApplicationSettings?
    private let log: ServiceLog
    private var listener: ApplicationListener?

    /// Adds what is wrong with the file of the application: the instance does not start then, and does not reload.
    static nonisolated func check(
        _ loaded: LoadedConfiguration, _ options: ServiceOptions, onDisk: Bool
    ) -> LoadedConfiguration {
        guard options.action == .run, let instance = options.instance else { return loaded }
        let file = ApplicationFile(instance, in: .ofProcess).file
        return file.isThere ? loaded.adding(file.diagnostics) : loaded
    }

    init(_ service: ComponentParameters) throws {
        settings = service.options.application
        log = service.log
    }

    func addFirstListeners(_ context: ComponentContext) throws {
        guard let settings else { return }
        let listener = try ApplicationListener(settings, context, log: log)
        try context.mediator.addListener(listener)
        self.listener = listener
    }
}

extension ServiceOptions {
    /// Reads the file of the application that this instance stands for, if there is one. `--check-config` checks it,
    /// and without an instance the files of all applications and listeners.
    mutating func readApplication() {
        let application = instance.map { ApplicationFile($0, in: .ofProcess) }
        self.application = application?.settings
        if configurationFiles != nil { return }
        checkOtherFiles = { [instance, isThere = application?.file.isThere] account in
            // An instance is asked for its application alone.
            if let instance {
                return isThere == true ? ApplicationCheck(instance, in: .ofProcess, account: account).diagnostics : []
            }
            return ListenerCheck(account: account).diagnostics
                + ApplicationCheck(in: .ofProcess, account: account).diagnostics
        }
    }
}

nonisolated extension ServiceComponent {
    /// The unit that this instance stands for, if `/etc/belfry/applications` has a file of the same name.
    static var application: ServiceComponent { ServiceComponent(ApplicationComponent.self) }
}
