// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryEventLoop
import Foundation
import Lifecycle
import BelfrySources
import BelfryLinux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PressureSourceTests {
    private let fixture: SourceFixture

    init() throws { fixture = try SourceFixture() }

    @Test func eachWriteToAFifoIsAWarningAndItsEndIsReported() throws {
        let path = fixture.directory.path("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        var ended: [String] = []
        let source = try make(path) { ended.append($0) }
        let writer = open(path, O_WRONLY)

        write(writer, "x", 1)
        try fixture.turnUntilPosted()
        write(writer, "yz", 2)
        try fixture.turnUntilPosted(2)
        close(writer)
        try fixture.loop.turn { !ended.isEmpty }
        try fixture.loop.turnWithoutWaiting()

        #expect(fixture.posted.map(\.name) == [.didReceiveMemoryWarning, .didReceiveMemoryWarning])
        #expect(fixture.posted.first?.userInfo == MemoryWarning(.some).userInfo)
        #expect(ended == [path] && source.isOver)
        withExtendedLifetime(source) {}
    }

    @Test func socketGetsTheSettingAndMayCloseAfterItsWarning() throws {
        let path = fixture.directory.path("socket")
        let listener = belfry_unix_listen(path, 1)
        defer { close(listener) }
        let source = try make(path, setting: "ZnVsbA==")
        let peer = belfry_accept(listener)
        var setting = [UInt8](repeating: 0, count: 16)

        #expect(read(peer, &setting, setting.count) == 4 && setting.prefix(4).elementsEqual("full".utf8))
        write(peer, "!", 1)
        close(peer)
        try fixture.turnUntilPosted()
        try fixture.loop.turnWithoutWaiting()

        #expect(fixture.posted.map(\.userInfo) == [MemoryWarning(.full).userInfo])
        withExtendedLifetime(source) {}
    }

    @Test func unwatchablePathIsRefusedByName() throws {
        let missing = fixture.directory.path("missing")
        #expect(throws: SystemError(ENOENT, verb: "find", object: missing)) { try make(missing) }
        let folder = fixture.directory.url.path
        #expect(throws: SystemError(EBADF, verb: "watch pressure at", object: folder)) { try make(folder) }
        // The kernel does not poll regular files.
        let file = try fixture.directory.write("file", "")
        #expect(throws: SystemError.self) { try make(file) }
    }

    private func make(
        _ path: String, setting: String = "", onEnd: @escaping (String) -> Void = { _ in }
    ) throws -> PressureSource {
        let environment = ["MEMORY_PRESSURE_WATCH": path, "MEMORY_PRESSURE_WRITE": setting]
        let triggers = try PressurePlan.triggers(environment: environment, group: nil)
        return try PressureSource(loop: fixture.loop, triggers: triggers, onEnd: onEnd) {
            [mediator = fixture.mediator] in
            mediator.post(MemoryWarning($0))
        }
    }
}
