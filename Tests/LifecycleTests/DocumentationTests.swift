// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

/// The code in the articles is compiled.
struct DocumentationTests {
    private static func files(_ folder: String, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: ProjectFile.url(folder), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == suffix }
    }

    /// The lines of a text without their indentation, since a snippet may be part of a function. Comments may be aligned.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: true)
            .map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    }

    private static func snippets(of article: String) -> [String] {
        article.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    private static func sources() throws -> [String] {
        try (files("Tests/DocumentationSnippets", "swift") + files("Tests/LifecycleTests", "swift"))
            .map { "\n" + lines(try String(contentsOf: $0, encoding: .utf8)).joined(separator: "\n") + "\n" }
    }

    /// Those that import other packages are not compiled.
    @Test func everySnippetOfTheLibraryPageIsCompiled() throws {
        let sources = try Self.sources()
        let page = try String(contentsOf: ProjectFile.url("docs/library.md"), encoding: .utf8)

        let snippets = Self.snippets(of: page).filter { !$0.contains("import ") }
        for part in snippets.flatMap({ $0.components(separatedBy: "\n\n") }) {
            let text = "\n" + Self.lines(part).joined(separator: "\n") + "\n"
            #expect(sources.contains { $0.contains(text) }, "\(part)")
        }

        #expect(snippets.count >= 4)
    }

    @Test func everySnippetIsCompiled() throws {
        let sources = try Self.sources()
        let articles = try Self.files("Sources/Lifecycle/Lifecycle.docc", "md")
        var count = 0

        for article in articles {
            for snippet in Self.snippets(of: try String(contentsOf: article, encoding: .utf8)) {
                let text = "\n" + Self.lines(snippet).joined(separator: "\n") + "\n"
                #expect(sources.contains { $0.contains(text) }, "\(article.lastPathComponent): \(snippet)")
                count += 1
            }
        }

        #expect(articles.count == 6)
        #expect(count >= 15)
    }

    @Test func everyNotificationOfTheCatalogueIsInTheTable() throws {
        let table = try String(
            contentsOf: ProjectFile.url("Sources/Lifecycle/Lifecycle.docc/UIApplicationDelegateTable.md"),
            encoding: .utf8)

        for name in LifecycleNotification.Name.catalogue { #expect(table.contains("`\(name)`"), "\(name)") }
    }
}

/// The tests in the article on testing, verbatim.
@Suite(.timeLimit(.minutes(1)))
struct TestingArticleTests {
    @Test func pausesWithTheService() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        try script.mediator.addListener(listener)

        await script.run(.perform(.launch), .perform(.pause))

        #expect(listener.isPlaying == false)
        #expect(script.told.suffix(2) == ["willResignActive", "didEnterBackground"])
        #expect(script.problems == [])
    }

    @Test func countsUploads() async throws {
        let script = LifecycleScript()
        let listener = UploadCounter()
        try script.mediator.addListener(listener)

        await script.run(.perform(.launch), .post(Uploaded(path: "/a", bytes: 3)), .perform(.stop, Termination(.stop)))

        #expect(listener.bytes == 3)
        #expect(script.events(Uploaded.self).map(\.path) == ["/a"])
    }

    @Test func stopsThoughAnotherHangs() async throws {
        let script = LifecycleScript()
        let listener = PlayerListener()
        let hanging = RecordingListener("hanging", [.willTerminate], deadline: .seconds(5), manner: .waiting)
        try script.mediator.addListener(listener)
        try script.mediator.addListener(hanging)

        await script.run(.perform(.launch), .perform(.stop), .advance(.seconds(5)))

        #expect(script.problems == ["willTerminate: hanging: no answer within its deadline"])
        #expect(listener.isPlaying == false)
    }

    @Test func followsTheRules() async throws {
        #expect(try await ListenerConformance().check { PlayerListener() } == [])
    }

    @Test func followsTheRulesWithSettings() async throws {
        var conformance = ListenerConformance(timeout: .seconds(5))
        conformance.configuration[PlayerSettings.self] = PlayerSettings(volume: 3)

        let failures = try await conformance.check { mediator, clock in
            PlayerListener(mediator: mediator, clock: clock)
        }

        #expect(failures == [])
    }
}

/// The listener of the article on testing.
final class PlayerListener: LifecycleListener {
    private(set) var isPlaying = false
    private weak var mediator: LifecycleMediator?

    init(mediator: LifecycleMediator? = nil, clock: (any LifecycleClock)? = nil) { self.mediator = mediator }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in isPlaying = true }
        on(.willResignActive) { [self] _ in isPlaying = false }
    }
}

/// The listener for events in the article on testing.
final class UploadCounter: LifecycleListener {
    private(set) var bytes = 0

    var answers: [LifecycleAnswer] {
        on(Uploaded.self) { [self] in bytes += $0.bytes }
    }
}

/// Settings for the conformance check.
nonisolated struct PlayerSettings {
    var volume: Int
}
