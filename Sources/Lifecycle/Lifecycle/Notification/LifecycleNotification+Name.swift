// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension LifecycleNotification {
    /// The name of a notification: a letter, then letters, digits, dots and dashes, at most 255 characters.
    public struct Name: Sendable, Hashable {
        /// The text of the name in the configuration, in the journal and on the socket.
        public let rawValue: String
        /// The hash of the name, computed once. It uses the seed of the process, since clients choose names.
        let hash: UInt64
        /// Its traits, looked up once.
        private let traits: Traits

        /// Nil when `rawValue` is not a name.
        public init?(_ rawValue: String) {
            var text = rawValue
            let isName = text.withUTF8 { bytes in
                guard let first = bytes.first, Self.isLetter(first), bytes.count <= 255 else { return false }
                return bytes.allSatisfy {
                    Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
                }
            }
            guard isName else { return nil }
            self.init(catalogue: text)
        }

        init(catalogue rawValue: String) {
            self.rawValue = rawValue
            hash = Self.hash(rawValue)
            traits = Traits.known[hash].flatMap { $0.name == rawValue ? $0.traits : nil } ?? []
        }

        static func hash(_ text: String) -> UInt64 {
            var (text, hasher) = (text, Hasher())
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }

        /// Whether it belongs to a transition, so that it cannot be posted.
        public var isTransition: Bool { traits.contains(.transition) }

        /// Whether listeners are called in reverse order.
        var isLeaving: Bool { traits.contains(.leaving) }

        /// Whether it is delivered in the new state of its transition.
        var isArrival: Bool { traits.contains(.arrival) }

        /// Whether the names are the same.
        public static func == (left: Self, right: Self) -> Bool {
            left.hash == right.hash && left.rawValue == right.rawValue
        }

        /// Uses the hash that was computed once.
        public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}

nonisolated extension LifecycleNotification.Name: CustomStringConvertible {
    /// The name itself.
    public var description: String { rawValue }
}

nonisolated extension LifecycleNotification.Name {
    /// Properties of a name that the mediator uses.
    struct Traits: OptionSet {
        let rawValue: UInt8

        /// It belongs to a transition.
        static let transition = Traits(rawValue: 1)
        /// Listeners are called in reverse order.
        static let leaving = Traits(rawValue: 2)
        /// It is delivered in the new state of its transition.
        static let arrival = Traits(rawValue: 4)

        /// The names with traits, by their hashes.
        static let known = Dictionary(
            uniqueKeysWithValues: all.map { (LifecycleNotification.Name.hash($0), (name: $0, traits: $1)) })

        private static let all: KeyValuePairs<String, Traits> = [
            "willFinishLaunching": .transition, "didFinishLaunching": [.transition, .arrival],
            "didBecomeActive": [.transition, .arrival], "willResignActive": [.transition, .leaving],
            "didEnterBackground": [.transition, .leaving, .arrival], "willEnterForeground": .transition,
            "didResume": [.transition, .arrival], "willTerminate": [.transition, .leaving],
            "willReload": [.transition, .leaving], "didReload": [.transition, .arrival],
            "didFailToReload": [.transition, .arrival],
            "willSleep": .leaving, "willEncodeRestorableState": .leaving,
        ]
    }
}

/// The names that Belfry itself uses.
nonisolated extension LifecycleNotification.Name {
    /// The process has started; no part of it works yet. Listeners open what others need. Refused as
    /// `didFinishLaunching` is.
    public static let willFinishLaunching = Self(catalogue: "willFinishLaunching")
    /// What others need is open, and the state is restored: listeners begin their work. A refusal, and an error or a
    /// missed deadline of a required listener, refuses the launch.
    public static let didFinishLaunching = Self(catalogue: "didFinishLaunching")
    /// The service does its work from now on.
    public static let didBecomeActive = Self(catalogue: "didBecomeActive")
    /// The service is about to stop working: for an interruption, a pause or a stop.
    public static let willResignActive = Self(catalogue: "willResignActive")
    /// The service is paused: SIGTSTP.
    public static let didEnterBackground = Self(catalogue: "didEnterBackground")
    /// The service is about to return from a pause: SIGCONT.
    public static let willEnterForeground = Self(catalogue: "willEnterForeground")
    /// The process was suspended without notice (cgroup freezer, sleep) and runs again, or received SIGCONT without a
    /// pause before it. `userInfo` has `cause`; for freezer and sleep `durationUsec`, and `durationIsExact` false where
    /// the duration is an upper bound.
    public static let didResume = Self(catalogue: "didResume")
    /// The process is about to end. `userInfo` has `reason` and `deadlineUsec`.
    public static let willTerminate = Self(catalogue: "willTerminate")
    /// The configuration is about to be replaced. A listener that throws refuses the new one. The answer only checks,
    /// and leaves nothing changed: after a dry run (`dryRun` in `userInfo`) no other notification follows.
    public static let willReload = Self(catalogue: "willReload")
    /// The new configuration is in effect.
    public static let didReload = Self(catalogue: "didReload")
    /// The old configuration stays in effect. `userInfo` has `reasons`, and `accepted: true` after `didReload`.
    public static let didFailToReload = Self(catalogue: "didFailToReload")
    /// A request to write back and trim caches: SIGUSR1.
    public static let flushRequested = Self(catalogue: "flushRequested")
    /// A request to log the status of every listener: SIGUSR2.
    public static let statusRequested = Self(catalogue: "statusRequested")
    /// Memory is short. `userInfo` has `level`; see `MemoryWarning`.
    public static let didReceiveMemoryWarning = Self(catalogue: "didReceiveMemoryWarning")
    /// Power is failing: SIGPWR.
    public static let powerFailing = Self(catalogue: "powerFailing")
    /// The clock was set, a day has begun, or the time zone changed. For `userInfo` see `TimeChange`.
    public static let significantTimeChange = Self(catalogue: "significantTimeChange")
    /// The machine is about to sleep.
    public static let willSleep = Self(catalogue: "willSleep")
    /// The machine has woken.
    public static let didWake = Self(catalogue: "didWake")
    /// A file system that the service depends on is no longer mounted. It is posted after the unmount, in spite of its
    /// name, which is that of UIKit. `userInfo` has `path`.
    public static let protectedDataWillBecomeUnavailable = Self(catalogue: "protectedDataWillBecomeUnavailable")
    /// A file system that the service depends on is mounted. `userInfo` has `path`.
    public static let protectedDataDidBecomeAvailable = Self(catalogue: "protectedDataDidBecomeAvailable")
    /// A message came from another program. For `userInfo` see `ReceivedNotification`.
    public static let didReceiveNotification = Self(catalogue: "didReceiveNotification")
    /// A request to look for new data, answered with `onFetch`.
    public static let performFetch = Self(catalogue: "performFetch")
    /// A request to open a URL, answered with `onOpenURL`. `userInfo` has `url`. The first listener that accepts it is
    /// the last that is asked, unless `toAll` is true.
    public static let openURL = Self(catalogue: "openURL")
    /// A request for an action, answered with `onAction`. `userInfo` has `action`.
    public static let performAction = Self(catalogue: "performAction")
    /// The restorable state of listeners is about to be encoded.
    public static let willEncodeRestorableState = Self(catalogue: "willEncodeRestorableState")
    /// The restorable state of the last process was decoded.
    public static let didDecodeRestorableState = Self(catalogue: "didDecodeRestorableState")

    /// Every name above, in that order.
    public static let catalogue: [Self] = [
        willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground,
        willEnterForeground, didResume, willTerminate, willReload, didReload, didFailToReload, flushRequested,
        statusRequested, didReceiveMemoryWarning, powerFailing, significantTimeChange, willSleep, didWake,
        protectedDataWillBecomeUnavailable, protectedDataDidBecomeAvailable, didReceiveNotification, performFetch,
        openURL, performAction, willEncodeRestorableState, didDecodeRestorableState,
    ]
}
