// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Glibc
import BelfrySystemd
import BelfryLinux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerSocketTests {
    let directory: TemporaryDirectory
    let manager: StandInSocket
    let socket: ServiceManagerSocket
    let loop: MainEventLoop

    init() throws {
        directory = try TemporaryDirectory()
        manager = try StandInSocket(at: directory.path("notify"))
        socket = ServiceManagerSocket(address: manager.path)
        loop = try MainEventLoop()
    }

    /// Sends until the queue of the manager is full. Returns the number of messages in it.
    private func fill() -> Int {
        var count = 0
        while socket.send([.errorNumber(1)]) == .sent { count += 1 }
        return count
    }

    private func next() throws -> [String] {
        try loop.turn { manager.hasDatagram }
        return manager.next()
    }

    @Test func socketThatCouldNotBeMadeIsMadeLater() throws {
        // The first timer of the loop needs a descriptor too.
        let timer = try loop.timer(after: .seconds(3600)) {}
        defer { timer.cancel() }
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        var low = rlimit(rlim_cur: 0, rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        let socket = ServiceManagerSocket(address: manager.path)
        socket.retry(on: loop) { _ in Issue.record("unexpected drop") }

        let outcome = socket.send([.ready])
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)

        #expect(outcome == .waiting)
        #expect(try next() == ["READY=1"])
    }

    @Test func slowManagerGetsAllMessagesInOrder() throws {
        socket.retry(on: loop) { _ in Issue.record("unexpected drop") }
        let taken = fill()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)

        #expect(socket.send([.reloading(monotonicUsec: 7), .status("reloading")]) == .waiting)
        #expect(socket.send([.storeDescriptors(name: "x")], descriptors: [ends[0]]) == .waiting)
        for end in ends { close(end) }
        #expect(socket.send([.ready]) == .waiting)
        for _ in 0...taken { #expect(try next() == ["ERRNO=1"]) }

        #expect(try next() == ["RELOADING=1", "MONOTONIC_USEC=7", "STATUS=reloading"])
        #expect(try next() == ["FDSTORE=1", "FDNAME=x"])
        #expect(manager.closeDescriptors() == 1)
        #expect(try next() == ["READY=1"])
        #expect(socket.send([.stopping]) == .sent)
        #expect(try next() == ["STOPPING=1"])
    }

    @Test func laterStateReplacesPendingState() throws {
        socket.retry(on: loop) { _ in Issue.record("unexpected drop") }
        let taken = fill()

        for number in 1...5000 {
            #expect(socket.send([.status("\(number)")]) == .waiting)
            #expect(socket.send([.watchdogAlive]) == .waiting)
            #expect(socket.send([.extendTimeout(.seconds(number)), .status("extended \(number)")]) == .waiting)
        }
        for _ in 0...taken { _ = try next() }

        #expect(try next() == ["WATCHDOG=1"])
        #expect(try next() == ["EXTEND_TIMEOUT_USEC=5000000000", "STATUS=extended 5000"])
        #expect(socket.send([.stopping]) == .sent)
        #expect(try next() == ["STOPPING=1"])
    }

    @Test func droppedMessagesAreCountedAndReadyHasRoom() throws {
        var dropped = 0
        socket.retry(on: loop) { dropped += $0 }
        let taken = fill()

        for _ in 0..<2000 { socket.send([.removeDescriptors(name: "x")]) }
        #expect(socket.send([.ready]) == .waiting)
        var messages: [[String]] = []
        while messages.last != ["READY=1"] { messages.append(try next()) }
        try loop.turn { dropped > 0 }

        // The last message of `fill` is the first pending one.
        #expect(messages.count + dropped == taken + 1 + 2000 + 1)
        #expect(messages.count < 1024 + taken)
    }

    @Test func barrierIsSentAfterPendingMessages() throws {
        socket.retry(on: loop) { _ in Issue.record("unexpected drop") }
        let taken = fill()
        var outcome: ServiceManagerSocket.Outcome?

        socket.barrier(on: loop, limit: .seconds(20)) { outcome = $0 }
        for _ in 0...taken { _ = try next() }
        #expect(try next() == ["BARRIER=1"])
        #expect(outcome == nil)
        #expect(manager.closeDescriptors() == 1)
        try loop.turn { outcome != nil }

        #expect(outcome == .sent)
    }

    @Test func finishWaitsOnlyForAManagerThatReads() throws {
        let taken = fill()
        socket.send([.stopping])

        socket.finish()

        for _ in 0..<taken { #expect(manager.next() == ["ERRNO=1"]) }
        #expect(!manager.hasDatagram)
        socket.finish()
        #expect(manager.next() == ["ERRNO=1"])
        #expect(manager.next() == ["STOPPING=1"])
    }

    @Test func unreachableManagerIsAFailure() throws {
        let missing = ServiceManagerSocket(address: directory.path("missing"))
        #expect(missing.send([.ready]) == .failed(SystemError(ENOENT, verb: "notify", object: "service manager")))
        let vsock = ServiceManagerSocket(address: "vsock:2:1234")
        #expect(vsock.send([.ready]) == .failed(SystemError(EAFNOSUPPORT, verb: "notify", object: "service manager")))
        #expect(ServiceManagerSocket(address: nil).send([.ready]) == .absent)
    }

    @Test func abstractAddressIsReached() throws {
        let name = "@belfry-test-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let abstract = try StandInSocket(at: name)

        #expect(ServiceManagerSocket(address: name).send([.ready]) == .sent)

        #expect(abstract.next() == ["READY=1"])
    }

    @Test func statusIsOneLineOfAtMostTwoKibibytes() throws {
        socket.send([.status("a\r\nREADY=1\u{0}\u{7F}b")])
        socket.send([.status(String(repeating: "ä", count: 4000))])
        socket.send([.status("a" + String(repeating: "ä", count: 4000))])

        #expect(manager.next() == ["STATUS=a  READY=1  b"])
        #expect(manager.next() == ["STATUS=" + String(repeating: "ä", count: 1024)])
        #expect(manager.next() == ["STATUS=a" + String(repeating: "ä", count: 1023)])
    }

    @Test func extensionBeyondTheRangeSaturates() throws {
        socket.send([.extendTimeout(.seconds(Int64.max))])

        #expect(manager.next() == ["EXTEND_TIMEOUT_USEC=\(UInt64.max)"])
    }
}
