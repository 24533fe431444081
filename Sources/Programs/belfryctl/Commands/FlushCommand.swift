// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import Varlink

/// `belfryctl flush`.
struct FlushCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush", abstract: "Flush the caches, and wait until that is done.",
        discussion: """
            The same as 'post --wait flushRequested', and prints what was freed. Standard error shows the progress if \
            it is a terminal. SIGUSR1 flushes the caches too.
            """)

    @OptionGroup var options: NamedReplyOptions

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let name = "flushRequested"
        let client = try context.connect()
        let bar = ProgressBar.onTerminal()
        defer { bar?.clear() }
        let reply = try await client.follow(
            "Post", ["name": .string(name), "wait": true], to: "post", name, within: context.changeTimeout
        ) { progress in
            let reply = FlushReply(progress)
            if !reply.isEmpty { bar?.show(reply.progress) }
        }
        bar?.clear()
        context.print(reply, json: json) { PostReply.lines($0, $1) + FlushReply($0).lines($1) }
        return ListenerReports.haveProblem(reply) ? .failure : .success
    }
}

/// What listeners say about their caches in a reply of `Post`.
struct FlushReply {
    private let details: [JSONObject]

    init(_ reply: JSONObject) {
        details = reply.objects("reports").compactMap { $0["details"]?.objectValue }
    }

    /// Whether no listener has said anything about its caches.
    var isEmpty: Bool { details.isEmpty }

    /// The done part and what was done, of all listeners together.
    var progress: ProgressBar.Progress {
        let selected = sum("filesSelected")
        guard selected > 0 else { return (nil, "examined \(sum("filesSeen")) files") }
        let done = "flushed \(sum("filesRemoved")) of \(selected) files, \(bytes(sum("bytesFreed")))"
        return (Double(sum("filesRemoved")) / Double(selected), done)
    }

    /// The files that a dry run would delete.
    func lines(_ style: TextStyle) -> [String] {
        details.flatMap { $0.objects("caches") }.flatMap { $0.texts("files") }.map { style.dim("    \($0)") }
    }

    private func sum(_ key: String) -> Int64 { details.reduce(0) { $0.adding($1.number(key) ?? 0) } }

    /// A size as systemd prints it: `512B`, `1.5K`, `3.2G`.
    private func bytes(_ count: Int64) -> String {
        var (value, units) = (Double(max(0, count)), ["B", "K", "M", "G", "T", "P", "E"][...])
        while value >= 1024, units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        let tenths = Int64(value * 10)
        return units.first == "B" ? "\(count)B" : "\(tenths / 10).\(tenths % 10)\(units.first ?? "")"
    }
}
