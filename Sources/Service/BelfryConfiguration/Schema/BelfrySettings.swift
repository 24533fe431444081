// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfrySystemd
package import Lifecycle

/// All settings of `belfry.conf`.
package nonisolated struct BelfrySettings: Sendable, Equatable {
    /// `[Service]`.
    package var service: ServiceSettings
    /// `[Signals]`.
    package var signals: SignalSettings
    /// `[Socket]`.
    package var socket: SocketSettings
    /// `[Logger]`.
    package var logger: LoggerSettings
    /// Every `[Cache NAME]`, in the order of the files.
    package var caches: [CacheSettings]

    /// Decodes a configuration that was resolved without an error.
    package init(_ effective: EffectiveConfiguration) {
        service = ServiceSettings(effective.section("Service"))
        signals = SignalSettings(effective.section("Signals"))
        socket = SocketSettings(effective.section("Socket"))
        logger = LoggerSettings(effective.section("Logger"))
        caches = effective.instances("Cache").map(CacheSettings.init)
    }

    /// The settings without any file.
    package static var defaults: BelfrySettings {
        var diagnostics = DiagnosticList()
        return BelfrySettings(ConfigurationResolver.resolve([], diagnostics: &diagnostics).effective)
    }
}

/// `[Service]`.
package nonisolated struct ServiceSettings: Sendable, Equatable {
    /// The deadline of a listener that declares none; nil for no deadline.
    package var listenerTimeout: Duration?
    /// The time for a whole stop if the timeout of the unit is unknown; nil for no limit.
    package var stopTimeout: Duration?
    /// How many times its time a stop may take while listeners report progress.
    package var stopExtensionMax: Int
    /// The exit status after a stop in which a listener missed its deadline.
    package var lateStopExitStatus: Int32
    /// Whether a pause ends in a real SIGSTOP.
    package var stopOnPause: Bool
    /// Whether sleep of the machine is delayed until the listeners are done.
    package var inhibitSleep: Bool
    /// Whether shutdown of the machine is delayed until its kind is known.
    package var inhibitShutdown: Bool
    /// The names of self-registered listeners to leave out.
    package var disabledListeners: [String]
    /// The mount points whose mounts and unmounts are notified.
    package var protectedData: [String]
    /// The notification to post at processor pressure; nil for none.
    package var cpuPressure: LifecycleNotification.Name?
    /// The notification to post at storage pressure; nil for none.
    package var ioPressure: LifecycleNotification.Name?
    /// The runtime directory; nil for the default of the environment.
    package var runtimeDirectory: String?
    /// The state directory; nil for the default of the environment.
    package var stateDirectory: String?

    init(_ section: EffectiveSection) {
        listenerTimeout = section.optional("ListenerTimeout")
        stopTimeout = section.optional("StopTimeout")
        stopExtensionMax = section.required("StopExtensionMax")
        lateStopExitStatus = Int32(clamping: section.required("LateStopExitStatus") as Int)
        stopOnPause = section.required("StopOnPause")
        inhibitSleep = section.required("InhibitSleep")
        inhibitShutdown = section.required("InhibitShutdown")
        disabledListeners = section.required("DisabledListeners")
        protectedData = section.required("ProtectedData")
        cpuPressure = section.name("CPUPressure")
        ioPressure = section.name("IOPressure")
        runtimeDirectory = section.optional("RuntimeDirectory")
        stateDirectory = section.optional("StateDirectory")
    }
}

/// `[Signals]`: what each signal does.
package nonisolated struct SignalSettings: Sendable, Equatable {
    /// The actions by signal number.
    package var actions: [CInt: SignalAction] = [:]

    init(_ section: EffectiveSection) {
        for key in section.values.keys {
            do throws(ValueProblem) {
                actions[try SignalName.number(key)] = try SignalAction(section.required(key))
            } catch {
                fatalError("'\(key)' was checked: \(error.message)")  // the resolver read it
            }
        }
    }
}

/// `[Socket]`.
package nonisolated struct SocketSettings: Sendable, Equatable {
    /// Whether there is a socket.
    package var isEnabled: Bool
    /// Its path, or `@NAME` for an abstract one; nil for the default.
    package var path: String?
    /// The group whose members are privileged; it need not exist.
    package var group: String
    /// Who may read.
    package var look: SocketAudience
    /// Who may post.
    package var post: SocketAudience
    /// Who may pause, reload, hold and attach listeners.
    package var control: SocketAudience
    /// The maximum number of connections.
    package var connectionsMax: Int
    /// The maximum number of connections of one user.
    package var connectionsPerUserMax: Int
    /// The maximum size of a message of a client, in bytes.
    package var frameMax: Int
    /// The maximum of bytes buffered for and from the clients of one user.
    package var memoryPerUserMax: Int
    /// The maximum of bytes buffered for and from all clients.
    package var memoryMax: Int
    /// The maximum of past notifications in memory.
    package var replayMax: Int
    /// The maximum of bytes of past notifications in memory.
    package var replaySize: Int

    init(_ section: EffectiveSection) {
        isEnabled = section.required("Enabled")
        path = section.optional("Path")
        group = section.required("Group")
        look = section.choice("Look")
        post = section.choice("Post")
        control = section.choice("Control")
        connectionsMax = section.required("ConnectionsMax")
        connectionsPerUserMax = section.required("ConnectionsPerUserMax")
        frameMax = Int(clamping: section.required("FrameMax") as UInt64)
        memoryPerUserMax = Int(clamping: section.required("MemoryPerUserMax") as UInt64)
        memoryMax = Int(clamping: section.required("MemoryMax") as UInt64)
        replayMax = section.required("ReplayMax")
        replaySize = Int(clamping: section.required("ReplaySize") as UInt64)
    }
}

/// Who may do something on the socket.
package nonisolated enum SocketAudience: String, Sendable, CaseIterable {
    /// Everyone who can connect.
    case all
    /// Root, the service's own user and the members of `Group=`.
    case privileged
    /// Root and the service's own user.
    case owner
}

nonisolated extension LoggerSettings {
    init(_ section: EffectiveSection) {
        self.init()
        isEnabled = section.required("Enabled")
        level = section.priority("Level")
        target = section.choice("Target")
        format = section.choice("Format")
    }
}

/// `[Cache NAME]`.
package nonisolated struct CacheSettings: Sendable, Equatable {
    /// The name in the brackets.
    package var name: String
    /// The directories: absolute paths whose components may be patterns.
    package var paths: [String]
    /// The maximum size in bytes; nil for no limit.
    package var sizeMax: UInt64?
    /// The maximum age of a file; nil for no limit.
    package var ageMax: Duration?
    /// The maximum number of files; nil for no limit.
    package var filesMax: Int?
    /// The space to keep free on the file system, in bytes; nil for no limit.
    package var keepFree: UInt64?
    /// Whether to write back the file system.
    package var writeBack: Bool
    /// Whether to advise the kernel to drop the pages of the files.
    package var dropPages: Bool
    /// Whether a flush only finds out what it would delete.
    package var isDryRun: Bool
    /// The notifications that flush it.
    package var on: [LifecycleNotification.Name]

    init(_ section: EffectiveSection) {
        name = section.instance ?? ""
        paths = section.required("Path")
        sizeMax = section.optional("SizeMax")
        ageMax = section.optional("AgeMax")
        filesMax = section.optional("FilesMax")
        keepFree = section.optional("KeepFree")
        writeBack = section.required("WriteBack")
        dropPages = section.required("DropPages")
        isDryRun = section.required("DryRun")
        on = section.names("On")
    }
}
