// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The parsers of untrusted text.
nonisolated enum FuzzTarget: String, CaseIterable {
    /// Messages on the socket, in chunks of any size.
    case frames
    /// JSON itself.
    case json
    /// A configuration file.
    case configuration
    /// The mount table of the kernel.
    case mounts

    /// The function that libFuzzer calls with each input.
    var body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 {
        switch self {
        case .frames: { FuzzedFrames.take(UnsafeBufferPointer(start: $0, count: $1)) }
        case .json: { FuzzedJSON.take(UnsafeBufferPointer(start: $0, count: $1)) }
        case .mounts: { FuzzedMounts.take(UnsafeBufferPointer(start: $0, count: $1)) }
        case .configuration: { FuzzedConfiguration.take(UnsafeBufferPointer(start: $0, count: $1)) }
        }
    }
}
