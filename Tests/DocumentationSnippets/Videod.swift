// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfrySocket

final class VideoListener: LifecycleListener {
    private let player = Player()

    var answers: [LifecycleAnswer] {
        on(.willResignActive) { [self] _ in player.pause() }
        on(.didBecomeActive, deadline: .seconds(2)) { [self] _ in try await player.play() }
        onEvent(Termination.self) { [self] end in player.close(because: end.reason.rawValue) }
    }
}

struct Player {
    func pause() {}
    func play() async throws {}
    func close(because reason: String) {}
}

struct Cache {
    func shrink() {}
    func shrink(to level: MemoryWarning.Level) {}
}

func videodWithSocket() {
    let thumbnails = Cache()
    ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
        try service.mediator.addListener(VideoListener())
        service.observe(.didReceiveMemoryWarning) { _ in thumbnails.shrink() }
    }
}

func videod() {
    ServiceMain.run(ServiceOptions(name: "videod")) { service in
        try service.mediator.addListener(VideoListener())
    }
}

func observe(_ service: BelfryService, _ cache: Cache) {
    service.observeEvent(MemoryWarning.self) { warning in cache.shrink(to: warning.level) }
}

func observe(_ mediator: LifecycleMediator, _ cache: Cache) -> LifecycleObservation {
    let observation = mediator.addObserver(of: MemoryWarning.self) { warning in cache.shrink(to: warning.level) }
    return observation
}

func read(_ mediator: LifecycleMediator) async {
    let (flushes, continuation) = AsyncStream.makeStream(
        of: LifecycleNotification.self, bufferingPolicy: .bufferingNewest(1024))
    let observation = mediator.addObserver(forName: .flushRequested) { continuation.yield($0) }
    for await flush in flushes {
        print("flush number \(flush.sequence), asked for by a \(flush.origin.kind)")
    }
    observation.cancel()
}
