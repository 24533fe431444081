// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import Varlink

/// Draws a span of time as SVG: the states as a band, a lane of marks for each notification, a lane of bars for each
/// listener, and lines from each notification to the calls of listeners for it.
@MainActor
struct SpanPlot {
    private static let margin = 16.0
    private static let laneHeight = 20.0
    private static let bandHeight = 26.0
    private static let lanesMax = 48
    private static let labelWidth = 260.0
    private static let tickSpacing = 96.0
    /// With more calls the lines to them are drawn thinner.
    private static let manyCalls = 200

    private let history: SpanHistory
    private let heading: String
    private let names: LaneList
    private let listeners: LaneList
    private let axis: TimeAxis
    private let left: Double
    private let width: Double
    private let top: Double
    private var svg = SVGText()

    /// The lines of the document.
    ///
    /// - Parameters:
    ///   - history: what to draw; it must not be empty.
    ///   - heading: the name of the service, and what is drawn.
    static func lines(_ history: SpanHistory, heading: String) -> [String] {
        var plot = SpanPlot(history, heading)
        plot.draw()
        return [String(plot.svg.text.dropLast())]
    }

    private init(_ history: SpanHistory, _ heading: String) {
        self.history = history
        self.heading = heading.cut(toBytes: 256)
        names = LaneList(history.events.map(\.name), limit: Self.lanesMax, rest: "other notifications")
        listeners = LaneList(history.calls.map(\.listener), limit: Self.lanesMax, rest: "other listeners")
        let label = (names.labels + listeners.labels).map(SVGText.width).max() ?? 0
        left = Self.margin + min(max(label, 80), Self.labelWidth) + 12
        // A mark is about 2 wide.
        width = min(max(Double(history.events.count), 900), 2000)
        axis = TimeAxis(history.span ?? 0...0, left: left + 8, width: width - 70)
        top = 104
    }

    private var bandTop: Double { top + 8 }
    private var namesTop: Double { bandTop + Self.bandHeight + 10 }
    private var listenersTop: Double { namesTop + Double(names.labels.count) * Self.laneHeight + 10 }
    private var bottom: Double { listenersTop + Double(listeners.labels.count) * Self.laneHeight }

    private func middle(ofName lane: Int) -> Double { namesTop + (Double(lane) + 0.5) * Self.laneHeight }
    private func middle(ofListener lane: Int) -> Double { listenersTop + (Double(lane) + 0.5) * Self.laneHeight }

    private mutating func draw() {
        let size = (width: SVGText.number(left + width + Self.margin), height: SVGText.number(bottom + Self.margin))
        svg.begin(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "role": "img",
                "class": history.calls.count > Self.manyCalls ? "belfry dense" : "belfry", "width": size.width,
                "height": size.height, "viewBox": "0 0 \(size.width) \(size.height)",
            ])
        svg.add("title", [:], content: heading)
        svg.add(markup: SpanPlotStyle.markup)
        svg.add("rect", ["class": "page", "width": "100%", "height": "100%"])
        let (states, suspensions) = StateSegment.segments(of: history)
        drawHeading()
        drawLegend(states, isSuspended: !suspensions.isEmpty)
        drawLanes()
        drawAxis()
        drawStates(states)
        for suspension in suspensions { draw(suspension: suspension) }
        drawSuccessions()
        drawEvents()
        svg.end()
    }

    private mutating func drawHeading() {
        svg.add("text", ["class": "heading", "x": "16", "y": "30"], content: SVGText.cut(heading, toWidth: 860))
        let start = WallClockText.dateAndTime(Int64(axis.span.lowerBound))
        let length = DurationText.text(microseconds: Int64((history.span.map { $0.upperBound - $0.lowerBound }) ?? 0))
        var counts = "\(history.events.count) notifications, \(history.calls.count) calls of listeners"
        if history.events.count >= SpanHistory.eventsMax { counts += "; only so many are drawn" }
        svg.add("text", ["class": "muted", "x": "16", "y": "50"], content: "\(length) from \(start); \(counts)")
    }

    /// The colours of the states and outcomes that are there.
    private mutating func drawLegend(_ states: [StateSegment], isSuspended: Bool) {
        let known = ["active", "inactive", "background", "suspended", "notRunning"]
        var items: [(style: String, text: String)] = []
        for state in known where states.contains(where: { $0.state == state }) {
            items.append(("state \(state)", state))
        }
        if isSuspended { items.append(("hatch", "suspended")) }
        if states.contains(where: { $0.state == nil }) { items.append(("state unknown", "not in the journal")) }
        if history.calls.contains(where: { !$0.isProblem && $0.duration != nil }) { items.append(("call", "listener")) }
        if history.calls.contains(where: { $0.duration == nil }) { items.append(("call instant", "at once")) }
        if history.calls.contains(where: { $0.isProblem && !$0.isLate }) {
            items.append(("call failed", "failed or refused"))
        }
        if history.calls.contains(where: \.isLate) { items.append(("call late", "missed its deadline")) }
        var x = Self.margin
        for (style, text) in items {
            svg.add(
                "rect",
                [
                    "class": style, "x": SVGText.number(x), "y": "62", "width": style == "call instant" ? "1" : "14",
                    "height": "12", "rx": "2",
                ])
            svg.add("text", ["class": "muted", "x": SVGText.number(x + 20), "y": "72"], content: text)
            x += SVGText.width(text) + 36
        }
    }

    private mutating func drawLanes() {
        svg.add("text", label(at: bandTop + Self.bandHeight / 2), content: "state")
        for (lane, name) in names.labels.enumerated() { drawLane(lane, name, at: middle(ofName: lane)) }
        for (lane, name) in listeners.labels.enumerated() { drawLane(lane, name, at: middle(ofListener: lane)) }
    }

    private mutating func drawLane(_ lane: Int, _ name: String, at middle: Double) {
        if lane.isMultiple(of: 2) {
            svg.add(
                "rect",
                [
                    "class": "lane", "x": SVGText.number(left), "y": SVGText.number(middle - Self.laneHeight / 2),
                    "width": SVGText.number(width), "height": SVGText.number(Self.laneHeight),
                ])
        }
        svg.add("text", label(at: middle), content: SVGText.cut(name, toWidth: Self.labelWidth))
    }

    private func label(at middle: Double) -> SVGText.Attributes {
        ["class": "label", "x": SVGText.number(left - 10), "y": SVGText.number(middle + 4)]
    }

    private mutating func drawAxis() {
        for (place, text) in axis.ticks(spacing: Self.tickSpacing) {
            let x = SVGText.number(place)
            svg.add(
                "line", ["class": "grid", "x1": x, "x2": x, "y1": SVGText.number(top), "y2": SVGText.number(bottom)])
            svg.add("text", ["class": "tick", "x": x, "y": SVGText.number(top - 6)], content: text)
        }
    }

    private mutating func drawStates(_ segments: [StateSegment]) {
        for segment in segments {
            let isBefore = segment == segments.first && segment.state == history.events.first?.previousState
            let start = isBefore ? left : axis.place(segment.start)
            let end = segment == segments.last ? left + width : axis.place(segment.end)
            let name = segment.state ?? "not in the journal"
            let length = DurationText.text(microseconds: Int64(segment.end - segment.start))
            svg.add(
                "rect",
                [
                    "class": "state \(segment.state ?? "unknown")", "x": SVGText.number(start),
                    "y": SVGText.number(bandTop), "width": SVGText.number(max(end - start, 1)),
                    "height": SVGText.number(Self.bandHeight),
                ], title: "\(name), \(length)")
            guard SVGText.width(name) + 12 < end - start else { continue }
            svg.add(
                "text",
                [
                    "class": "band", "x": SVGText.number(start + 6),
                    "y": SVGText.number(bandTop + Self.bandHeight / 2 + 4),
                ], content: name)
        }
    }

    private mutating func draw(suspension: ClosedRange<Double>) {
        let start = axis.place(suspension.lowerBound)
        let length = DurationText.text(microseconds: Int64(suspension.upperBound - suspension.lowerBound))
        svg.add(
            "rect",
            [
                "class": "hatch", "x": SVGText.number(start), "y": SVGText.number(bandTop),
                "width": SVGText.number(max(axis.place(suspension.upperBound) - start, 2)),
                "height": SVGText.number(bottom - bandTop),
            ], title: "suspended, \(length)")
    }

    private mutating func drawSuccessions() {
        for (first, second) in history.successions {
            draw(
                "chain", from: history.events[first],
                toLane: middle(ofName: names.lane(of: history.events[second].name)),
                history.events[second].time)
        }
    }

    /// A line down from a notification to another lane, and in this lane to a time.
    private mutating func draw(_ style: String, from event: SpanHistory.Event, toLane y: Double, _ time: Double) {
        let start =
            "M\(SVGText.number(axis.place(event.time))) \(SVGText.number(middle(ofName: names.lane(of: event.name))))"
        svg.add(
            "path", ["class": style, "d": "\(start)V\(SVGText.number(y))H\(SVGText.number(axis.place(time)))"])
    }

    /// Each notification with its calls in a group, which a browser emphasizes under the pointer.
    private mutating func drawEvents() {
        var labels = LaneLabels(
            marks: history.events.map { (names.lane(of: $0.name), axis.place($0.time)) }, end: left + width)
        var durations = LaneLabels(
            marks: history.calls.map { (listeners.lane(of: $0.listener), axis.place($0.start)) }, end: left + width)
        for (index, event) in history.events.enumerated() {
            svg.begin("g", ["class": "event"])
            for call in history.callsOfEvents[index] {
                draw("link", from: event, toLane: middle(ofListener: listeners.lane(of: call.listener)), call.start)
            }
            for call in history.callsOfEvents[index] { draw(call, of: event, &durations) }
            draw(event, &labels)
            svg.end()
        }
    }

    private mutating func draw(_ event: SpanHistory.Event, _ labels: inout LaneLabels) {
        let lane = names.lane(of: event.name)
        let (x, y) = (axis.place(event.time), middle(ofName: lane))
        var title = "\(event.sequence) \(event.name)\n\(WallClockText.full(Int64(event.time)))"
        if event.state != event.previousState { title += "\n\(event.previousState) -> \(event.state)" }
        title += "\n\(event.origin)"
        if !event.details.isEmpty { title += "\n\(event.details)" }
        svg.add(
            "rect",
            [
                "class": "mark \(NotificationKind(event.name))", "x": SVGText.number(x - 1.5),
                "y": SVGText.number(y - 7), "width": "3", "height": "14", "rx": "1.5",
            ], title: title)
        let origin = event.origin == "service" ? "" : event.origin
        let texts = [[origin, event.details], [event.details], []].map { parts in
            (["\(event.sequence)"] + parts.filter { !$0.isEmpty }).joined(separator: " ")
        }
        drawFirst(of: texts, after: x + 6, in: lane, from: x, y, &labels)
    }

    private mutating func draw(
        _ call: SpanHistory.Call, of event: SpanHistory.Event, _ durations: inout LaneLabels
    ) {
        let lane = listeners.lane(of: call.listener)
        let (start, end, y) = (axis.place(call.start), axis.place(call.end), middle(ofListener: lane))
        let title = "\(call.listener) for \(event.sequence) \(event.name)\n"
        guard let duration = call.duration else {
            return svg.add(
                "rect",
                [
                    "class": "call instant", "x": SVGText.number(start - 0.5), "y": SVGText.number(y - 6), "width": "1",
                    "height": "12",
                ], title: title + "answered at once, or not yet")
        }
        let length = DurationText.text(microseconds: Int64(duration))
        svg.add(
            "rect",
            [
                "class": call.isLate ? "call late" : call.isProblem ? "call failed" : "call",
                "x": SVGText.number(start), "y": SVGText.number(y - 6),
                "width": SVGText.number(max(end - start, 2)), "height": "12", "rx": "2",
            ], title: title + "\(call.outcome), \(length)")
        let text = call.isProblem ? "\(length), \(call.outcome)" : length
        drawFirst(of: [text, length], after: max(end, start + 2) + 5, in: lane, from: start, y, &durations)
    }

    /// Draws the first of the texts that fits before the next mark of the lane.
    private mutating func drawFirst(
        of texts: [String], after x: Double, in lane: Int, from place: Double, _ y: Double, _ labels: inout LaneLabels
    ) {
        let texts = texts.map { SVGText.cut($0, toWidth: 420) }
        guard let text = texts.first(where: { labels.fits(SVGText.width($0), at: x, in: lane, from: place) }) else {
            return
        }
        svg.add("text", ["class": "note", "x": SVGText.number(x), "y": SVGText.number(y + 4)], content: text)
    }
}
