// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfrySocket

final class CameraListener: LifecycleListener {
    private var isRecording = false

    var answers: [LifecycleAnswer] {
        on(.didBecomeActive) { [self] _ in isRecording = true }
        on(.willResignActive, deadline: .seconds(5)) { [self] _ in
            isRecording = false
            try await saveFilm()
        }
        on(.willReload) { [self] _ in
            if isRecording { throw LifecycleRefusal("a recording is under way") }
        }
    }

    private func saveFilm() async throws {}
}

func camerad() {
    ServiceMain.run(ServiceOptions(name: "camerad"), with: [.socket]) { service in
        try service.mediator.addListener(CameraListener())
        service.observeEvent(MemoryWarning.self) { warning in print("memory is short: \(warning.level)") }
    }
}
