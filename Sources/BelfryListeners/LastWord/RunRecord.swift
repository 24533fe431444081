// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle
internal import BelfryJSON

/// The record of a run as it is kept in the state directory: one JSON object, for programs and people alike.
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

    /// The name of the service that wrote a run, in whatever version; nil when it does not say so.
    package static func service(_ bytes: [UInt8]) -> String? {
        guard let value = try? JSONValue(json: bytes) else { return nil }
        return value.objectValue?["service"]?.stringValue
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
