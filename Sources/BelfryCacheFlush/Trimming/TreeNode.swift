// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A directory below the root of a cache, remembered by the way to it and by its identity, without a descriptor.
/// Shared by all files found in it, and gone with the last of them.
nonisolated final class TreeNode {
    /// The directory that holds it, nil for the root.
    let parent: TreeNode?

    /// Its NUL-terminated name there; the root's is its path.
    let name: [CChar]

    /// What it was when it was entered.
    let identity: FileIdentity

    /// How far below the root it is.
    let depth: Int

    /// Remembers a directory.
    init(parent: TreeNode?, name: [CChar], identity: FileIdentity) {
        self.parent = parent
        self.name = name
        self.identity = identity
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// The nodes from the first one below the root to this one.
    var way: [TreeNode] {
        var nodes: [TreeNode] = []
        var node = self
        while let parent = node.parent {
            nodes.append(node)
            node = parent
        }
        return nodes.reversed()
    }

    /// The path, for people: what is not UTF-8 is replaced.
    var path: String {
        var parts = [TreeNode.text(name)]
        var node = self
        while let parent = node.parent {
            parts.append(TreeNode.text(parent.name))
            node = parent
        }
        return parts.reversed().joined(separator: "/")
    }

    /// The path of a name in this directory, for people.
    func path(of name: [CChar]) -> String {
        "\(path)/\(TreeNode.text(name))"
    }

    /// A NUL-terminated name for people.
    static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
