// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import Varlink

/// The notifications of a span of time and the calls of listeners, as the journal has them: what `belfryctl plot --svg`
/// draws. Its size is limited, so that the drawing is shorter than the 10 MB that XML parsers read by default.
@MainActor
struct SpanHistory {
    /// How many notifications there are at most.
    nonisolated static let eventsMax = 3000
    /// How many calls there are at most.
    nonisolated static let callsMax = 6000

    /// A notification. Times are in microseconds.
    struct Event {
        let sequence: Int64
        let name: String
        let state: String
        let previousState: String
        /// By CLOCK_REALTIME.
        let time: Double
        let origin: String
        let details: String
        /// How long the service was suspended before it; nil if this is not known, or it was not.
        let suspension: Double?
    }

    /// A call of a listener.
    struct Call {
        let listener: String
        let outcome: String
        /// By CLOCK_REALTIME.
        let start: Double
        /// Nil if the journal does not have it: the listener answered at once, or not yet.
        let duration: Double?
        /// The notification, as an index.
        let event: Int

        var end: Double { start + (duration ?? 0) }
        /// Whether the listener refused, failed or missed its deadline.
        var isProblem: Bool { OutcomeWord.isProblem(outcome) }
        /// Whether it missed its deadline.
        var isLate: Bool { OutcomeWord.isLate(outcome) }
    }

    private(set) var events: [Event] = []
    /// The calls of listeners, in the order of their notifications.
    var calls: [Call] { callsOfEvents.flatMap(\.self) }
    /// The calls for each notification.
    private(set) var callsOfEvents: [[Call]] = []
    private var callCount = 0
    /// Notifications of one transition, each with the next one, as indexes.
    private(set) var successions: [(Int, Int)] = []
    private var places: [Key: Place] = [:]
    /// When the transition ended whose last notification has this index.
    private var ends: [Int: Double] = [:]
    private let line = NotificationLine(.plain)
    private let origins = OriginText()

    private struct Key: Hashable {
        let bootID: String
        let sequence: Int64
    }

    private struct Place {
        let index: Int
        /// CLOCK_REALTIME less CLOCK_MONOTONIC.
        let offset: Double
    }

    /// Adds a notification in the shape of the socket.
    ///
    /// - Parameter listeners: those that it was for, which counts as long as their calls are not added.
    mutating func add(_ notification: JSONObject, for listeners: [String] = []) {
        guard events.count < Self.eventsMax else { return }
        let sequence = notification.number("sequence") ?? 0
        let name = Self.cut(notification.textOrDash("name"))
        let info = notification["userInfo"]?.objectValue ?? [:]
        let time = Self.time(notification.number("realtimeUsec"))
        let monotonic = Self.time(notification.number("monotonicUsec"))
        let key = Key(bootID: notification.textOrDash("bootId"), sequence: sequence)
        places[key] = Place(index: events.count, offset: time - monotonic)
        events.append(
            Event(
                sequence: sequence, name: name, state: Self.cut(notification.textOrDash("state"), toBytes: 16),
                previousState: Self.cut(notification.textOrDash("previousState"), toBytes: 16), time: time,
                origin: Self.cut(origins.text(notification["origin"]?.objectValue ?? [:]), toBytes: 96),
                details: Self.cut(details(name, info), toBytes: 96),
                suspension: name == "didResume" ? info.number("durationUsec").map { Self.time($0) } : nil))
        callsOfEvents.append([])
        for listener in listeners {
            let name = Self.cut(PrintableText.line(listener))
            add(Call(listener: name, outcome: "", start: time, duration: nil, event: events.count - 1))
        }
    }

    /// Adds the calls for the notifications that were added before.
    ///
    /// - Parameters:
    ///   - steps: the array in `BELFRY_TIMELINE`.
    ///   - realtimeUsec: when it was written, after the last call and all that the transition waited for.
    mutating func add(timeline steps: JSONValue, bootID: String, writtenAt realtimeUsec: Int64) {
        var last: Int?
        for step in steps.arrayValue?.compactMap(\.objectValue) ?? [] {
            let key = Key(bootID: PrintableText.line(bootID), sequence: step.number("sequence") ?? 0)
            guard let place = places[key] else { continue }
            if let last, successions.count < Self.callsMax { successions.append((last, place.index)) }
            last = place.index
            // What was only known from the notification.
            if callsOfEvents[place.index].first?.duration == nil { removeCalls(of: place.index) }
            for call in step.objects("listeners") {
                add(
                    Call(
                        listener: Self.cut(call.textOrDash("listener")),
                        outcome: Self.cut(call.textOrDash("outcome"), toBytes: 16),
                        start: Self.time(call.number("startUsec")) + place.offset,
                        duration: Self.time(call.number("durationUsec")), event: place.index))
            }
        }
        if let last { ends[last] = Self.time(realtimeUsec) }
    }

    private mutating func add(_ call: Call) {
        guard callCount < Self.callsMax else { return }
        callsOfEvents[call.event].append(call)
        callCount += 1
    }

    private mutating func removeCalls(of event: Int) {
        callCount -= callsOfEvents[event].count
        callsOfEvents[event] = []
    }

    /// When the last answer to a notification is known to have been given: the end of its transition, or else the
    /// notification itself.
    func end(ofEvent index: Int) -> Double { max(events[index].time, ends[index] ?? 0) }

    /// The first and the last point in time; nil if there is nothing.
    var span: ClosedRange<Double>? {
        let starts = events.lazy.map { $0.time - ($0.suspension ?? 0) }
        let ends = [events.lazy.map(\.time).max(), calls.lazy.map(\.end).max()].compactMap(\.self)
        guard let first = starts.min(), let last = ends.max() else { return nil }
        return first...max(last, first)
    }

    /// The user info; of a suspension and of a stop only what matters here: `freezer, 9 s`.
    private func details(_ name: String, _ info: JSONObject) -> String {
        switch name {
        case "didResume":
            let duration = info.number("durationUsec").map { ", \(DurationText.text(microseconds: $0))" } ?? ""
            return info.textOrDash("cause") + duration
        case "willTerminate": return info.textOrDash("reason")
        default: return line.details(name, info)
        }
    }

    /// The beginning of a text. In SVG each byte may take six.
    private static func cut(_ text: String, toBytes limit: Int = 48) -> String { text.cut(toBytes: limit) }

    /// A number of microseconds that is neither negative nor beyond the year 9999.
    private static func time(_ microseconds: Int64?) -> Double {
        Double(min(max(microseconds ?? 0, 0), 253_402_300_799_000_000))
    }
}
