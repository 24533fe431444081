// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import Glibc
package import Lifecycle

/// The two files of the state directory about a run: its own record, and how the service manager says that it ended.
/// They belong together if they have the same invocation id.
///
/// The directory belongs to the service that the first file names: no other service reads or writes anything in it.
package nonisolated struct RunFiles: Sendable, Equatable {
    private let run: StateFile
    private let exit: StateFile
    private let directory: String
    private let service: String?

    /// - Parameters:
    ///   - directory: the state directory.
    ///   - service: the name of the service; nil to add to the record of any service.
    package init(directory: String, service: String?) {
        self.directory = directory
        self.service = service
        run = StateFile(path: directory + "/last-word", limit: RunRecord.sizeMax)
        exit = StateFile(path: directory + "/last-exit", limit: RunRecord.sizeMax)
    }

    /// What was found of the last run.
    package enum Found: Sendable, Equatable {
        /// No run has left anything.
        case nothing
        case run(ServiceRun)
        /// The record is invalid or cannot be read.
        case refused
        /// The directory is another service's.
        case foreign(ForeignFile)
    }

    /// Reads what the last run left. Invalid files are put aside, and named in `problems`.
    package func read(problems: inout [String]) -> Found {
        do {
            guard let bytes = try run.read() else { return .nothing }
            if let foreign = foreign(bytes) { return .foreign(foreign) }
            var found = try RunRecord.run(bytes)
            found.exit = exit(of: found.invocationID, &problems)
            return .run(found)
        } catch {
            refuse(run, error, &problems)
            return .refused
        }
    }

    /// Throws when the directory is another service's.
    ///
    /// - Throws: `ForeignFile`. A file that cannot be read says nothing.
    package func checkOwner() throws(ForeignFile) {
        guard let bytes = try? run.read(), let foreign = foreign(bytes) else { return }
        throw foreign
    }

    private func foreign(_ bytes: [UInt8]) -> ForeignFile? {
        guard let service, let owner = RunRecord.service(bytes), !owner.hasSameBytes(as: service) else { return nil }
        return ForeignFile(directory, of: owner, use: "StateDirectory=")
    }

    /// What the service manager said of the end of the run with this id.
    private func exit(of invocationID: String?, _ problems: inout [String]) -> UnitExit? {
        do {
            guard let invocationID, let bytes = try exit.read() else { return nil }
            let found = try RunRecord.exit(bytes)
            return found.invocationID == invocationID ? found.exit : nil
        } catch {
            refuse(exit, error, &problems)
            return nil
        }
    }

    private func refuse(_ file: StateFile, _ error: any Error, _ problems: inout [String]) {
        guard error is RunRecord.Refusal else { return problems.append("\(error), ignoring") }
        problems.append("unable to use '\(file.path)': \(error), ignoring")
        try? file.putAside()
    }

    /// Why there is no directory; nil when there is one. The service manager makes it.
    package var absence: SystemError? {
        access(directory, F_OK) == 0 ? nil : .last(verb: "keep the last word in", object: directory)
    }

    /// Writes the record of a run. The file is not synced: it must outlive the process and not the machine, and a
    /// stop has little time. Not for the directory of another service.
    package func write(_ run: ServiceRun) throws(SystemError) {
        try self.run.write(RunRecord.encode(run, of: service ?? ""), durably: false)
    }

    /// Why the exit of a run is not written.
    package struct OtherRun: Error, CustomStringConvertible {
        package let description: String
    }

    /// Writes how the run with this id ended, next to what that run said itself.
    ///
    /// - Throws: `OtherRun` if the record there is of another run, perhaps of another service.
    package func write(_ exit: UnitExit, of invocationID: String) throws {
        if let bytes = try run.read(), let last = try? RunRecord.run(bytes), last.invocationID != invocationID {
            // A start that was called off before it had anything to write.
            guard exit.result != "success" else { return }
            let place = SystemError.escape(directory)
            throw OtherRun(description: "unable to record the exit in '\(place)': what is there is of another run")
        }
        try self.exit.write(RunRecord.encode(exit, of: invocationID), durably: false)
    }
}

/// The record of a run in the state directory: one JSON object.
package nonisolated enum RunRecord {
    /// Why a record is refused.
    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Bytes that are read at the most.
    package static let sizeMax = 256 << 10
    private static let version: Int64 = 1

    /// The run of this service as bytes.
    package static func encode(_ run: ServiceRun, of service: String) -> [UInt8] {
        encode(run.userInfo.merging(["service": .string(service)]) { $1 })
    }

    /// The exit of the run with this id as bytes.
    package static func encode(_ exit: UnitExit, of invocationID: String) -> [UInt8] {
        encode(exit.userInfo.merging(["invocationId": .string(invocationID)]) { $1 })
    }

    /// The name of the service that wrote a record; nil when the record does not say.
    package static func service(_ bytes: [UInt8]) -> String? {
        (try? JSONValue(json: bytes))?["service"]?.stringValue
    }

    /// Reads a run.
    package static func run(_ bytes: [UInt8]) throws(Refusal) -> ServiceRun {
        guard let run = ServiceRun(userInfo: try decode(bytes)) else { throw Refusal(description: "it is not whole") }
        return run
    }

    /// Reads the exit of a run, and which run that was.
    package static func exit(_ bytes: [UInt8]) throws(Refusal) -> (exit: UnitExit, invocationID: String) {
        let info = try decode(bytes)
        guard let exit = UnitExit(userInfo: info), case .string(let id) = info["invocationId"] else {
            throw Refusal(description: "it is not whole")
        }
        return (exit, id)
    }

    private static func encode(_ info: UserInfo) -> [UInt8] {
        let versioned = info.merging(["version": .int(version)]) { $1 }
        return JSONValue.object(versioned).json + [UInt8(ascii: "\n")]
    }

    private static func decode(_ bytes: [UInt8]) throws(Refusal) -> UserInfo {
        let value: JSONValue
        do throws(JSONParseError) {
            value = try JSONValue(json: bytes)
        } catch {
            throw Refusal(description: "\(error)")
        }
        guard let info = value.objectValue else { throw Refusal(description: "it is no JSON object") }
        guard case .int(let version) = info["version"] else { throw Refusal(description: "it has no version") }
        guard version == Self.version else {
            throw Refusal(description: "its version is \(version), not \(Self.version)")
        }
        return info
    }
}
