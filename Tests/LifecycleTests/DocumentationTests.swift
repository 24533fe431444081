// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import Lifecycle
import Testing

/// The code in the articles is code that is compiled.
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func files(_ folder: String, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: root.appending(path: folder), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == suffix }
    }

    /// The lines of a text without their indentation, so that a snippet may stand in a function.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: true).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    private static func snippets(of article: String) -> [String] {
        article.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    @Test func everySnippetIsCompiled() throws {
        let sources = try
            (Self.files("Tests/DocumentationSnippets", "swift") + Self.files("Tests/LifecycleTests", "swift"))
            .map { "\n" + Self.lines(try String(contentsOf: $0, encoding: .utf8)).joined(separator: "\n") + "\n" }
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
            contentsOf: Self.root.appending(path: "Sources/Lifecycle/Lifecycle.docc/UIApplicationDelegateTable.md"),
            encoding: .utf8)

        for name in LifecycleNotification.Name.catalogue { #expect(table.contains("`\(name)`"), "\(name)") }
    }
}
