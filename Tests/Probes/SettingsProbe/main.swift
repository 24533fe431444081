// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service with a section of its own, which it prints when it changes.

import Belfry
import BelfrySocket
import Glibc

nonisolated struct ThumbSettings: Decodable, Sendable {
    enum Format: String, Decodable, CaseIterable {
        case jpeg, webp
    }

    var sizeMax: ByteSize
    var timeout: Duration?
    var format: Format?
    var folders: [String]
}

/// Refuses 13 bytes in `willReload`, and 14 in `didReload`.
final class ThumbListener: LifecycleListener {
    let name = "thumb"
    private let settings: SettingsHandle<ThumbSettings>

    init(_ settings: SettingsHandle<ThumbSettings>) { self.settings = settings }

    var answers: [LifecycleAnswer] {
        for name in [LifecycleNotification.Name.didBecomeActive, .willReload, .didReload, .didFailToReload] {
            on(name) { [self] notification in try take(notification) }
        }
        on(.statusRequested) { [self] in try take($0) }
    }

    private func take(_ notification: LifecycleNotification) throws {
        let carried = settings.value(in: notification)
        let line = "\(notification.name): \(carried.sizeMax.bytes), in effect \(settings.value.sizeMax.bytes)\n"
        write(STDERR_FILENO, line, line.utf8.count)
        switch (notification.name, carried.sizeMax.bytes) {
        case (.willReload, 13), (.didReload, 14): throw LifecycleRefusal("\(carried.sizeMax.bytes) is unlucky")
        default: break
        }
    }
}

let options = ServiceOptions(
    name: "thumbd", version: "2.5", about: "Makes thumbnails.", arguments: CommandLine.arguments)
ServiceMain.run(options, with: [.socket]) { service in
    let settings = try service.settings(ThumbSettings.self, section: "Thumbd")
    try service.mediator.addListener(ThumbListener(settings))
}
