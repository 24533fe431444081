// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import Glibc
package import SystemErrors

/// The two files of the state directory that tell of a run: what it said itself, and what the service manager says of
/// its end. They are of one run when they have the same invocation.
package nonisolated struct RunFiles: Sendable, Equatable {
    private let run: StateFile
    private let exit: StateFile
    private let directory: String

    package init(directory: String) {
        self.directory = directory
        run = StateFile(path: directory + "/last-word", limit: RunRecord.sizeMax)
        exit = StateFile(path: directory + "/last-exit", limit: RunRecord.sizeMax)
    }

    /// What was found of the last run.
    package enum Found: Sendable, Equatable {
        /// No run has left anything.
        case nothing
        case run(ServiceRun)
        /// Something is there that cannot be relied on.
        case refused
    }

    /// Reads what the last run left. What is not understood is put aside, and named in `problems`.
    package func read(problems: inout [String]) -> Found {
        do {
            guard let bytes = try run.read() else { return .nothing }
            var found = try RunRecord.run(bytes)
            found.exit = exit(of: found.invocationID, &problems)
            return .run(found)
        } catch {
            refuse(run, "last-word", error, &problems)
            return .refused
        }
    }

    /// What the service manager said of the end of the run with this id.
    private func exit(of invocationID: String?, _ problems: inout [String]) -> UnitExit? {
        do {
            guard let invocationID, let bytes = try exit.read() else { return nil }
            let found = try RunRecord.exit(bytes)
            return found.invocationID == invocationID ? found.exit : nil
        } catch {
            refuse(exit, "last-exit", error, &problems)
            return nil
        }
    }

    private func refuse(_ file: StateFile, _ name: String, _ error: any Error, _ problems: inout [String]) {
        guard error is RunRecord.Refusal else { return problems.append("\(error), ignoring") }
        problems.append("unable to use '\(directory)/\(name)': \(error), ignoring")
        try? file.putAside()
    }

    /// Why there is no directory to keep anything in; nil when there is one. It is the service manager that makes it.
    package var absence: SystemError? {
        access(directory, F_OK) == 0 ? nil : .last(verb: "keep the last word in", object: directory)
    }

    /// Writes what there is to say of a run. Its file is not forced to the disk: it is to outlive the process, and a stop
    /// has little time.
    package func write(_ run: ServiceRun) throws(SystemError) {
        try self.run.write(RunRecord.encode(run), durably: false)
    }

    /// Writes how the run with this id ended.
    package func write(_ exit: UnitExit, of invocationID: String) throws(SystemError) {
        try self.exit.write(RunRecord.encode(exit, of: invocationID), durably: false)
    }
}
