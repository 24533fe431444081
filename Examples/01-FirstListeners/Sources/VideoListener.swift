// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Plays while the service is active, and continues after a restart where it was, after a crash half a minute before it at most.
/// It stands in for a decoder: its frames can be counted. Decoded frames are cached in memory and in files.
final class VideoListener: RestorableListener {
    nonisolated struct Position: Codable, Sendable { var frame: Int }

    let name = "video"
    let restorationIdentifier = "video"
    private(set) var frame = 0
    private(set) var decoded: [Int: [UInt8]] = [:]
    private let loop: MainEventLoop
    private unowned let mediator: LifecycleMediator
    private let directory: String
    private var timer: TimerEventSource?

    init(_ loop: MainEventLoop, _ mediator: LifecycleMediator, _ directory: String) {
        (self.loop, self.mediator, self.directory) = (loop, mediator, directory)
    }

    var answers: [LifecycleAnswer] {
        // The tag says that the files may be deleted. Belfry deletes none without it.
        on(.didFinishLaunching) { [self] _ in
            try store("CACHEDIR.TAG", Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8))
        }
        // What an answer returns has a record in the journal.
        on(.didBecomeActive) { [self] _ in try begin() }
        on(.willResignActive) { [self] _ in stop() }
        onEvent(MemoryWarning.self) { [self] _ in emptyMemory() }
        on(.flushRequested) { [self] _ in emptyMemory() }
        on(.didEnterBackground) { [self] _ in emptyMemory() }
    }

    func encodeRestorableState() -> Position { Position(frame: frame) }
    func decodeRestorableState(_ position: Position) { frame = position.frame }

    private func begin() throws -> String {
        timer = try loop.timer(after: .zero) { [self] in play() }
        return "plays from frame \(frame)"
    }

    private func stop() -> String {
        timer = nil
        return "stopped at frame \(frame)"
    }

    /// - Returns: what it did; nil if there is nothing in memory.
    private func emptyMemory() -> String? {
        let count = decoded.count
        decoded = [:]
        return count == 0 ? nil : "dropped \(count) decoded frame\(count == 1 ? "" : "s") from memory"
    }

    private func play() {
        frame += 1
        mediator.restorableStateChanged(of: self)
        decoded[frame % 100] = Array("frame \(frame)\n".utf8)
        // A cache that cannot be written is no reason to stop.
        try? store("frame-\(frame % 100)", decoded[frame % 100] ?? [])
        try? timer?.fire(after: .milliseconds(40))
    }

    private func store(_ name: String, _ bytes: [UInt8]) throws {
        let file = OwnedDescriptor(
            owning: open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
        guard write(file.number, bytes, bytes.count) == bytes.count else {
            throw LifecycleRefusal("unable to write '\(directory)/\(name)': \(String(cString: strerror(errno)))")
        }
    }
}
