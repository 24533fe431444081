// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How much state an archive may hold.
public nonisolated struct RestorationLimits: Sendable, Equatable {
    /// The deepest nesting that any limit allows: values are read by recursion, and the stack must hold it.
    public static let deepest = 256

    /// 1 MiB, 64 containers in each other.
    public static let standard = RestorationLimits(size: 1 << 20, depth: 64)

    /// The size of an archive, in bytes.
    public let size: Int
    /// How many containers may lie in each other in one listener's state.
    public let depth: Int

    /// Limits of `size` bytes, at most 2 GiB, and `depth` containers in each other, at most `deepest`.
    public init(size: Int, depth: Int) {
        self.size = min(max(size, 0), Int(Int32.max))
        self.depth = min(max(depth, 0), Self.deepest)
    }
}
