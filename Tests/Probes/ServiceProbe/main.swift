// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service on the library. The first argument selects the behaviour of its listener; the others are configuration files.

import Belfry
import BelfryLinux
import BelfrySocket
import Glibc

let arguments = CommandLine.arguments.dropFirst()
let manner = arguments.first ?? ""
let number = manner.split(separator: "=").last.flatMap { Int($0) } ?? 1
var blockingTimer: TimerEventSource?
let options = ServiceOptions(name: "probe", configurationFiles: Array(arguments.dropFirst()))
/// Never returns.
func hang() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

// The descriptor store must hold only descriptors of the service.
ServiceMain.run(options, with: manner == "store" ? [] : [.socket]) { service in
    @MainActor func addListener(@LifecycleAnswerBuilder _ make: @escaping (ProbeListener) -> [LifecycleAnswer]) throws {
        try service.mediator.addListener(ProbeListener("probe", make))
    }
    switch manner.split(separator: "=").first {
    // At a flush: blocks the main thread, calls exit(3) as some libraries do, or fails the service, whose stop then hangs if asked.
    case "block": try addListener { $0.on(.flushRequested) { _ in usleep(250_000) } }
    case "blockTimer": blockingTimer = try service.loop.timer(after: .milliseconds(1)) { usleep(250_000) }
    case "start": try service.mediator.addListener(StartingListener(service))
    // As a signal source of libdispatch, which also reads the signal.
    case "handler": try addListener { $0.on(.didBecomeActive) { _ in _ = signal(SIGHUP) { _ in } } }
    case "compose": throw LifecycleReloadError(["no camera", "no disk"])
    case "count": try service.mediator.addListener(LaunchCounter())
    case "events": try service.mediator.addListener(EventListener(service))
    case "exit": try addListener { $0.on(.flushRequested) { _ in exit(Int32(truncatingIfNeeded: number)) } }
    case "fail":
        let failure = SystemError(EIO, verb: "read", object: "disk")
        try addListener { listener in
            listener.on(.flushRequested) { _ in service.fail(failure) }
            if number > 1 { listener.on(.willTerminate) { _ in await hang() } }
        }
    case "refuse": try addListener { $0.on(.didFinishLaunching) { _ in throw LifecycleRefusal("not today") } }
    // With the quiet period in seconds.
    case "http": try service.mediator.addListener(httpServer(service, quietPeriod: number > 0 ? .seconds(number) : nil))
    case "hang":
        try addListener { $0.on(.willTerminate) { _ in await hang() } }
    case "jobs": try service.mediator.addListener(JobListener(service))
    case "frail": try service.mediator.addListener(FrailListener(service.mediator))
    case "store": try service.mediator.addListener(StoreListener(service))
    case "slow": try service.mediator.addListener(SlowListener(.willTerminate, seconds: number, loop: service.loop))
    case "slowFlush":
        try service.mediator.addListener(SlowListener(.flushRequested, seconds: number, loop: service.loop))
    case "slowPause":
        try service.mediator.addListener(SlowListener(.didEnterBackground, seconds: number, loop: service.loop))
    case "slowStart":
        try service.mediator.addListener(SlowListener(.didFinishLaunching, seconds: number, loop: service.loop))
    default: try addListener { $0.on(.willTerminate) { _ in } }
    }
}
