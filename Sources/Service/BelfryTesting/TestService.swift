// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
public import BelfryLinux
internal import Glibc
internal import Lifecycle
public import LifecycleTesting

/// A service in a test: what `compose` gets from `ServiceMain`, without signals, systemd or a process of its own.
///
///     let test = try TestService(settings: "[Player]\nVolume=3\n") { service in
///         try service.mediator.addListener(PlayerListener(service))
///     }
///     await test.script.run(.perform(.launch), .perform(.pause))
///     try await test.until { !player.isPlaying }
///
/// Descriptors, timers and child processes are real, on a `TestLoop`. The clock of the mediator is manual, so deadlines
/// pass only when the script moves it. The service has the listeners of `compose`, and those that registered
/// themselves, but none of the built-in ones. They are removed with this object, and so is the private directory with
/// its files. Descriptors that the service stores go nowhere, as without a service manager.
@MainActor public final class TestService {
    /// The service.
    public let service: BelfryService
    /// Performs triggers, moves the clock, and records the notifications.
    public let script: LifecycleScript
    /// The errors that the service has failed with (`BelfryService.fail(_:)`).
    public var failures: [any Error] { log.failures }
    private let loop: TestLoop
    private let log: FailureLog
    private let directory: PrivateDirectory
    private let settingsFile: StateFile

    /// Assembles a service, which is not launched yet.
    ///
    /// - Parameters:
    ///   - settings: the text of its configuration file.
    ///   - descriptors: the sockets and stored descriptors that the service manager would pass, by name.
    ///   - compose: as for `ServiceMain.run`. The `clock` of the service is that of the script.
    /// - Throws: the errors of the settings and of `compose`, and what the system refuses.
    public init(
        settings: String = "", descriptors: [(name: String, descriptor: OwnedDescriptor)] = [],
        _ compose: (BelfryService) throws -> Void
    ) throws {
        directory = try PrivateDirectory(with: "run", "state")
        settingsFile = StateFile(path: directory.path + "/service.conf", limit: 0)
        try settingsFile.write(Array(settings.utf8), durably: false)
        loop = try TestLoop()
        let clock = ManualClock()
        let log = FailureLog()
        self.log = log
        let passed = descriptors.map { ($0.name, $0.descriptor.release()) }
        do {
            service = try BelfryService(
                assembling: ServiceOptions(name: "test", configurationFiles: [settingsFile.path]), on: loop.loop,
                clock: clock, directory: directory.path, descriptors: passed,
                onFailure: { log.failures.append($0) }, compose)
        } catch {
            for (_, descriptor) in passed { close(descriptor) }
            throw error
        }
        script = LifecycleScript(clock: clock, mediator: service.mediator)
    }

    isolated deinit {
        for name in service.descriptors.names { _ = service.descriptors.receive(named: name) }
        service.mediator.removeListeners()
    }

    /// Replaces the text of the configuration file, which the next reload reads.
    ///
    /// - Throws: when the file cannot be written.
    public func replaceSettings(_ text: String) throws(SystemError) {
        try settingsFile.write(Array(text.utf8), durably: false)
    }

    /// Waits until a condition holds, while the loop of the service turns (`TestLoop.until(within:file:line:_:)`).
    ///
    /// - Throws: as that.
    public func until(
        within limit: Duration = .seconds(60), file: String = #fileID, line: Int = #line,
        _ condition: () throws -> Bool
    ) async throws {
        try await loop.until(within: limit, file: file, line: line, condition)
    }
}

/// What the service has failed with.
final class FailureLog {
    var failures: [any Error] = []
}

/// A new directory in `$TMPDIR` or `/tmp`, which is removed with all that is in it when this object is released.
final class PrivateDirectory {
    let path: String

    /// Makes it, with these directories in it.
    init(with names: String...) throws(SystemError) {
        let parent = Environment.variables["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/belfry-test-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last(verb: "make a directory in", object: parent) }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }  // not empty
        for name in names where mkdir("\(path)/\(name)", 0o700) != 0 { throw .last(verb: "make", object: name) }
    }

    isolated deinit { Self.remove(path) }

    /// Removes a file, or a directory with its content. A link is removed, and not followed.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in (try? DirectoryContent.names(in: path)) ?? [] where name != "." && name != ".." {
            remove("\(path)/\(name)")
        }
        rmdir(path)
    }
}
