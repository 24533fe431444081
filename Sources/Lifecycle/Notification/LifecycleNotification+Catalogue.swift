// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The notifications that Belfry itself posts.
nonisolated extension LifecycleNotification.Name {
    /// The process has started; nothing works yet.
    public static let willFinishLaunching = Self(catalogue: "willFinishLaunching")
    /// The launch is nearly done. A listener that throws `LifecycleRefusal` refuses it.
    public static let didFinishLaunching = Self(catalogue: "didFinishLaunching")
    /// The service does its work from here on.
    public static let didBecomeActive = Self(catalogue: "didBecomeActive")
    /// The service is about to stop doing its work, for a moment, a pause or for good.
    public static let willResignActive = Self(catalogue: "willResignActive")
    /// The service is paused: SIGTSTP.
    public static let didEnterBackground = Self(catalogue: "didEnterBackground")
    /// The service is about to come back from a pause: SIGCONT.
    public static let willEnterForeground = Self(catalogue: "willEnterForeground")
    /// The process had been stopped without notice (SIGSTOP, cgroup freezer, sleep) and runs again. `userInfo` has
    /// `cause` and `durationUsec`, and `durationIsExact` false where the duration is an upper bound, and
    /// `causeIsCertain` false where a stop is inferred.
    public static let didResume = Self(catalogue: "didResume")
    /// The process is about to end. `userInfo` has `reason` and `deadlineUsec`.
    public static let willTerminate = Self(catalogue: "willTerminate")
    /// The configuration is about to be replaced. A listener that throws `LifecycleRefusal` refuses the new one.
    public static let willReload = Self(catalogue: "willReload")
    /// The new configuration holds.
    public static let didReload = Self(catalogue: "didReload")
    /// The old configuration stays. `userInfo` has `reasons`.
    public static let didFailToReload = Self(catalogue: "didFailToReload")
    /// Caches are to be written back and trimmed: SIGUSR1.
    public static let flushRequested = Self(catalogue: "flushRequested")
    /// The state of every listener is to be logged: SIGUSR2.
    public static let statusRequested = Self(catalogue: "statusRequested")
    /// Memory is short. `userInfo` has `level`, as `MemoryWarning` reads it.
    public static let didReceiveMemoryWarning = Self(catalogue: "didReceiveMemoryWarning")
    /// Power is failing: SIGPWR.
    public static let powerFailing = Self(catalogue: "powerFailing")
    /// The clock was set, or the time zone changed. `userInfo` has what `TimeChange` reads.
    public static let significantTimeChange = Self(catalogue: "significantTimeChange")
    /// The machine is about to sleep.
    public static let willSleep = Self(catalogue: "willSleep")
    /// The machine has woken.
    public static let didWake = Self(catalogue: "didWake")
    /// A file system that the service depends on is no longer mounted. `userInfo` has `path`.
    public static let protectedDataWillBecomeUnavailable = Self(catalogue: "protectedDataWillBecomeUnavailable")
    /// A file system that the service depends on is mounted. `userInfo` has `path`.
    public static let protectedDataDidBecomeAvailable = Self(catalogue: "protectedDataDidBecomeAvailable")
    /// A message came from outside. `userInfo` has `name` and `userInfo`.
    public static let didReceiveNotification = Self(catalogue: "didReceiveNotification")
    /// Look for new data; answered with `onFetch`.
    public static let performFetch = Self(catalogue: "performFetch")
    /// A URL is to be opened; answered with `onOpenURL`. `userInfo` has `url`.
    public static let openURL = Self(catalogue: "openURL")
    /// An action is asked for; answered with `onAction`. `userInfo` has `action`.
    public static let performAction = Self(catalogue: "performAction")
    /// Listeners are about to be asked for the state that is to outlive the process.
    public static let willEncodeRestorableState = Self(catalogue: "willEncodeRestorableState")
    /// Listeners were given the state that outlived the last process.
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
