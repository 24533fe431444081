// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import belfryctl
import Foundation
import FoundationXML
import Testing
import Varlink

/// The drawing, read by a foreign parser (libxml2).
@MainActor
struct SpanPlotTests {
    private static let elements: Set = [
        "svg", "title", "style", "defs", "pattern", "path", "rect", "line", "text", "g",
    ]
    private static let attributes: Set = [
        "xmlns", "class", "role", "width", "height", "viewBox", "id", "patternUnits", "patternTransform", "d", "x", "y",
        "rx", "x1", "x2", "y1", "y2",
    ]
    private nonisolated static let hostile = [
        "</text><script>alert(1)</script>", "\" onload=\"alert(1)", "]]><!--", "&#0;&lol;",
        "\0\u{1B}[2J\u{FFFE}\u{FFFF}",
        "x\r\nforged\u{2028}\u{202E}\u{200B}\u{E0001}", String(repeating: "\u{301}\u{323}", count: 5000),
        String(repeating: "'", count: 5000),
    ]

    private func document(_ history: SpanHistory, _ heading: String = "lantern") throws -> SVGReader {
        let text = SpanPlot.lines(history, heading: heading).joined(separator: "\n")
        let reader = SVGReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(reader.names.subtracting(Self.elements).isEmpty)
        #expect(reader.attributes.subtracting(Self.attributes).isEmpty)
        return reader
    }

    @Test func storyHasBandMarksBarsLinksAndSuspensions() throws {
        let drawn = try document(HistorySamples.story)

        #expect(drawn.count("rect", "state active") == 3)  // two and the legend
        #expect(drawn.count("rect", "mark problem") == 2 && drawn.count("rect", "mark did") == 4)
        #expect(drawn.count("rect", "call") == 3 && drawn.count("rect", "call late") == 2)
        #expect(drawn.count("rect", "call failed") == 2)
        #expect(drawn.count("path", "link") == 4 && drawn.count("path", "chain") == 1)
        #expect(drawn.count("rect", "hatch") == 3)
        for text in ["lantern", "cacheFlush", "thumbnails", "4 level=warning", "10 s, overran", "10 freezer, 5 s"] {
            #expect(drawn.texts.contains { $0.text == text }, "\(text)")
        }
    }

    @Test func callThatTookNoTimeIsAThinMark() throws {
        var history = SpanHistory()
        history.add(HistorySamples.notification(1, "statusRequested", at: 0), for: ["logger", "lamp"])

        let drawn = try document(history)

        // One more is in the legend.
        #expect(drawn.count("rect", "call instant") == 3 && drawn.count("rect", "call") == 0)
        #expect(drawn.count("path", "link") == 2)
        for text in ["logger", "lamp", "at once"] { #expect(drawn.texts.contains { $0.text == text }, "\(text)") }
    }

    @Test func pageIsReadableInLightAndDark() {
        let text = SpanPlot.lines(HistorySamples.story, heading: "x").joined()

        #expect(text.contains("@media (prefers-color-scheme: dark)"))
        #expect(!text.contains("<script") && !text.contains("http://www.w3.org/1999/xlink"))
    }

    @Test(arguments: hostile)
    func hostileTextIsNoMarkup(_ text: String) throws {
        let history = HistorySamples.history(
            [
                HistorySamples.notification(
                    1, text, at: 0, text, text,
                    origin: ["kind": .string(text), "pid": 1, "unit": .string(text), "command": .string(text)],
                    info: JSONObject([(text, .string(text))]))
            ], [[HistorySamples.step(1, [(text, text, 0, 1)])]])

        let drawn = try document(history, text)

        #expect(drawn.count("rect", "call") == 2)
        #expect(drawn.size < 20_000)
    }

    @Test(arguments: [Int64.max, .min, -1, 0])
    func extremeTimesAreDrawn(_ time: Int64) throws {
        for other in [Int64.max, .min, 1] {
            var notification = HistorySamples.notification(1, "didResume", at: 0, info: ["durationUsec": .int(other)])
            notification["realtimeUsec"] = .int(time)
            notification["monotonicUsec"] = .int(other)
            let call: JSONValue = ["listener": "a", "startUsec": .int(other), "durationUsec": .int(time)]
            let step: JSONValue = ["sequence": 1, "listeners": [call]]

            let drawn = try document(HistorySamples.history([notification], [[step]]))

            #expect(drawn.count("rect", "call") == 2)
        }
    }

    @Test func labelsDoNotOverlap() throws {
        var notifications: [JSONObject] = []
        var steps: [JSONValue] = []
        for sequence in 1...Int64(400) {
            let at = Double(sequence * sequence % 997)
            notifications.append(HistorySamples.notification(sequence, "org.example.\(sequence % 3)", at: at))
            steps.append([HistorySamples.step(sequence, [("a", "overran", at, 1), ("b", "completed", at + 1, 3)])])
        }

        let drawn = try document(HistorySamples.history(notifications, steps))

        let notes = Dictionary(grouping: drawn.texts.filter { $0.style == "note" }, by: \.y)
        #expect(notes.values.map(\.count).reduce(0, +) > 5)
        for lane in notes.values {
            let lane = lane.sorted { $0.x < $1.x }
            for (first, second) in zip(lane, lane.dropFirst()) {
                #expect(first.x + SVGText.width(first.text) <= second.x, "\(first) \(second)")
            }
        }
    }

    @Test func sizeIsLimited() throws {
        var history = SpanHistory()
        let text = String(repeating: "'", count: 200)
        for sequence in 1...Int64(SpanHistory.eventsMax) {
            let name = "\(sequence)\(text)"
            history.add(
                HistorySamples.notification(
                    sequence, name, at: Double(sequence), name, name, origin: ["kind": .string(text)],
                    info: ["a": .string(text)]))
            let calls = (0..<5).map {
                (listener: "\(sequence * Int64($0))\(text)", outcome: text, at: Double(sequence), took: 1.0)
            }
            HistorySamples.add([HistorySamples.step(sequence, calls)], to: &history)
        }

        let drawn = try document(history)

        #expect(drawn.size < 8_000_000)
        #expect(drawn.texts.contains { $0.text == "other notifications" })
        #expect(drawn.texts.contains { $0.text == "other listeners" })
        #expect(drawn.height < 2500 && drawn.width < 2400)
    }
}

/// What a document contains.
private final class SVGReader: NSObject, XMLParserDelegate {
    private(set) var names: Set<String> = []
    private(set) var attributes: Set<String> = []
    private(set) var texts: [(text: String, style: String, x: Double, y: Double)] = []
    private(set) var size = 0
    private(set) var width = 0.0
    private(set) var height = 0.0
    private var counts: [String: Int] = [:]
    private var path: [String] = []

    func count(_ name: String, _ style: String) -> Int { counts["\(name) \(style)"] ?? 0 }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        names.insert(name)
        path.append(name)
        self.attributes.formUnion(attributes.keys)
        size += name.utf8.count + attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        let style = attributes["class"] ?? ""
        counts["\(name) \(style)", default: 0] += 1
        func number(_ key: String) -> Double { attributes[key].flatMap { Double($0) } ?? 0 }
        if name == "text" { texts.append(("", style, number("x"), number("y"))) }
        if name == "svg" { (width, height) = (number("width"), number("height")) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        size += string.utf8.count
        if path.last == "text" { texts[texts.count - 1].text += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) { path.removeLast() }
}
