// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// What the compiler says about answers, and accepts from modules without an actor of their own.
@Suite(.timeLimit(.minutes(5)))
struct CompilerMessageTests {
    @Test(arguments: [
        ("on(.willResignActiv) { _ in }", "type 'LifecycleNotification.Name' has no member 'willResignActiv'"),
        ("on(.didBecomeActiv) { _ in try await work() }", "has no member 'didBecomeActiv'"),
        ("on(.didBecomeActiv, deadline: .seconds(1)) { _, _ in }", "has no member 'didBecomeActiv'"),
        ("on(.didBecomeActive) { _ in wrk() }", "cannot find 'wrk' in scope"),
        ("onEvent(MemoryWarning.self) { print($0.levl) }", "value of type 'MemoryWarning' has no member 'levl'"),
    ])
    func messageNamesWhatIsMisspelt(answer: String, message: String) throws {
        let messages = try compile(
            "func work() async throws {}\nextension LifecycleListener { func f() { _ = \(answer) } }")

        #expect(messages.contains(message) && !messages.contains("cannot infer"), "\(messages)")
    }

    @Test func messageNamesTheMisspeltNameOfAnObserver() throws {
        let messages = try compile(
            "func f(_ service: BelfryService) { service.observe(.didBecomActive) { _ in print(1) } }",
            importing: "Belfry")

        #expect(
            messages.contains("has no member 'didBecomActive'") && !messages.contains("cannot infer"), "\(messages)")
    }

    @Test func modulesWithoutAnActorExtendTheTypes() throws {
        let messages = try compile(
            """
            extension LifecycleMediator { func shrink() { post(.flushRequested) } }
            extension ListenerProgress { func half() { report("half") } }
            extension LifecycleClock { func soon(_ body: @escaping () -> Void) { _ = schedule(after: .zero, body) } }
            extension LifecycleListener {
                func onShrink(_ body: @escaping () -> Void) -> LifecycleAnswer { on(.flushRequested) { _ in body() } }
                func onPort(_ body: @escaping (ListenerProgress) -> Void) -> LifecycleAnswer { on(.didReload) { body($1) } }
            }
            final class Clock: LifecycleClock {
                final class Timer: LifecycleTimer { func cancel() {} }
                var now: LifecycleTime { LifecycleTime(realtime: .zero, monotonic: .zero) }
                func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any LifecycleTimer { Timer() }
            }
            """)

        #expect(messages.isEmpty)
    }

    @Test func asynchronousCompositionSaysWhatToWriteInstead() throws {
        let source =
            "func main(_ load: () async -> Void) { ServiceMain.run(ServiceOptions(name: \"a\")) { _ in await load() } }"
        let messages = try compile("@MainActor \(source)", importing: "Belfry")

        #expect(messages.contains("begin asynchronous work in willFinishLaunching of a listener"), "\(messages)")
    }

    /// Compiles a file of a module of its own.
    ///
    /// - Returns: the messages.
    private func compile(_ source: String, importing module: String = "Lifecycle") throws -> String {
        let directory = try TemporaryDirectory()
        let file = try directory.write("Snippet.swift", "import \(module)\n\(source)\n")
        let modules =
            URL(filePath: try ProbeProcess.path(of: "AllocationProbe")).deletingLastPathComponent().path + "/Modules"
        let headers = ProjectFile.url("Sources/Ground/CBelfry/include").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-Xcc", "-I\(headers)", file,
        ]
        let messages = Pipe()
        compiler.standardError = messages
        try compiler.run()
        let text = try messages.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}
