// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

final class BlinkListener: LifecycleListener {
    private let loop: MainEventLoop
    private var timer: TimerEventSource?

    init(_ loop: MainEventLoop) { self.loop = loop }

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in
            timer = try loop.timer(after: .seconds(1)) { [self] in blink() }
        }
        on(.willResignActive) { [self] _ in timer = nil }
    }

    private func blink() {
        print("blink")
        try? timer?.fire(after: .seconds(1))
    }
}

func blinkd() {
    ServiceMain.run(ServiceOptions(name: "blinkd")) { service in
        try service.mediator.addListener(BlinkListener(service.loop))
    }
}

func readSensor(_ service: BelfryService, _ sensor: Int32, _ line: Sensor) throws {
    let source = try service.loop.source(owning: OwnedDescriptor(owning: sensor), .readable) { events in
        if events.contains(.hangUp) { line.close() } else { line.read() }
    }

    line.store(source)
}

struct Sensor {
    func read() {}
    func close() {}
    func store(_ source: DescriptorEventSource) {}
}
