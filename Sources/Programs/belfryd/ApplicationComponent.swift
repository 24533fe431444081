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
    static nonisolated func check(_ loaded: LoadedConfiguration, _ options: ServiceOptions) -> LoadedConfiguration {
        guard options.action == .run, let name = options.instance, ApplicationFile.isDeclared(name, in: .ofProcess)
        else { return loaded }
        let application = ApplicationFile(name, in: .ofProcess)
        guard let settings = application.settings, settings != options.application else {
            return loaded.adding(application.file.diagnostics)
        }
        let late = "it has changed since the start, 'belfryctl enable \(name)' applies it"
        return loaded.adding([ConfigurationDiagnostic(.error, at: ConfigurationPosition(file: settings.file), late)])
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
        application = instance.flatMap { ApplicationFile($0, in: .ofProcess).settings }
        if configurationFiles != nil { return }
        checkOtherFiles = { [instance] account in
            // An instance is asked for its application alone.
            if let instance, !ApplicationFile.isDeclared(instance, in: .ofProcess) { return [] }
            return (instance == nil ? ListenerCheck(account: account).diagnostics : [])
                + ApplicationCheck(instance, in: .ofProcess) { unit, _ in account(unit) }.diagnostics
        }
    }
}

nonisolated extension ServiceComponent {
    /// The unit that this instance stands for, if there is an application of its name.
    static var application: ServiceComponent { ServiceComponent(ApplicationComponent.self) }
}
