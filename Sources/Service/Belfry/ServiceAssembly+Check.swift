// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryConfiguration
internal import BelfryLinux
internal import Lifecycle

/// `--check-config` and `--print-config`: `compose` is called to learn the settings of the service, which is not
/// launched.
extension ServiceAssembly {
    /// Prints diagnostics on standard error, and on standard output the settings, if they are asked for.
    ///
    /// - Returns: the exit code: 78 for an error in the configuration, 71 for one of `compose`.
    func check(_ compose: (BelfryService) throws -> Void) -> Int32 {
        let reading: ConfigurationReading
        do {
            reading = try readAndDeclare(reader.begin(), compose)
        } catch let refusal as ConfigurationRefusal {
            reading = refusal.reading
        } catch {
            StandardStreams.error("\(options.name): \(error)\n")
            return ServiceExit.system
        }
        let otherFiles = options.checkOtherFiles?({ FileAccount.ofUnit($0) }) ?? []
        let others = inaccessibleFiles(reading.loaded.files) + otherFiles
        for line in reading.reasons + others.map(\.description) { StandardStreams.error(line + "\n") }
        if reading.isRefused || others.contains(where: { $0.severity == .error }) { return ServiceExit.configuration }
        let isDone = options.action != .printConfiguration || StandardStreams.output(reading.printed)
        return isDone ? ServiceExit.success : ServiceExit.system
    }

    /// The files of the configuration that root can read and the service cannot.
    private func inaccessibleFiles(_ files: [String]) -> [ConfigurationDiagnostic] {
        guard options.configurationFiles == nil,
            let account = FileAccount.ofUnit("\(options.instanceName).service")
        else { return [] }
        return files.compactMap { file in
            account.problem(.read, file).map {
                ConfigurationDiagnostic(.error, at: ConfigurationPosition(file: file), $0)
            }
        }
    }

    /// Calls `compose` for a service that will not be launched.
    ///
    /// - Parameter configuration: what was read so far; nil if it has errors.
    /// - Throws: `ConfigurationRefusal` with all errors of the configuration; without one, an error of `compose`.
    func readAndDeclare(
        _ configuration: LifecycleConfiguration?, _ compose: (BelfryService) throws -> Void
    ) throws -> ConfigurationReading {
        do {
            let loop = try MainEventLoop()
            var failure: (any Error)?
            let service = unlaunched(
                configuration, on: loop, clock: EventLoopClock(loop),
                paths: RuntimePaths(options.directoryName, configuration?[BelfrySettings.self] ?? .defaults),
                onFailure: { failure = failure ?? $0 })
            let disabled = configuration?[BelfrySettings.self]?.service.disabledListeners ?? []
            let reading = try declare(compose, for: service, without: disabled)
            if let failure { throw failure }
            return reading
        } catch {
            throw reader.refusal ?? error
        }
    }
}
