// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

nonisolated struct ThumbSettings: Codable, Sendable {
    enum Format: String, Codable, CaseIterable { case jpeg, webp }

    var format = Format.webp  // Format=jpeg
    var sizeMax: ByteSize?  // SizeMax=1.5G
    var timeout = Duration.seconds(90)  // Timeout=1min 30s
    var folders: [String] = []  // Folders=/srv/a "/srv/b c"
}

final class ThumbListener: LifecycleListener {
    private let settings: SettingsHandle<ThumbSettings>

    init(_ settings: SettingsHandle<ThumbSettings>) { self.settings = settings }

    var answers: [LifecycleAnswer] {
        on(.willReload) { [self] notification in
            if settings.value(in: notification).folders.isEmpty { throw LifecycleRefusal("no folder") }
        }
    }
}

func thumbd() {
    ServiceMain.run(ServiceOptions(name: "thumbd", version: "1.4", arguments: CommandLine.arguments)) { service in
        let settings = try service.settings(ThumbSettings(), section: "Thumbd")
        try service.mediator.addListener(ThumbListener(settings))
    }
}
