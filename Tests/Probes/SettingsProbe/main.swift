// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service with settings of its own: a section, and a file that `$PALETTE` names. It prints them when they change.

import Belfry
import BelfryLinux
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

nonisolated struct Palette: Sendable {
    var colors: [String]

    static func read(_ path: String) throws -> Palette {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw SystemError.last(verb: "read", object: path) }
        defer { close(file) }
        let text = String(decoding: try FileContent.read(file, of: path, limit: 4096), as: UTF8.self)
        let colors = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard !colors.contains("gray") else {
            throw LifecycleReloadError(["\(path):1:1: error: no color 'gray'", "\(path):1:1: error: use 'grey'"])
        }
        return Palette(colors: colors)
    }
}

/// Refuses 13 bytes in `willReload`, and 14 in `didReload`.
final class ThumbListener: LifecycleListener {
    let name = "thumb"
    private let settings: SettingsHandle<ThumbSettings>
    private let palette: SettingsHandle<Palette>?

    init(_ settings: SettingsHandle<ThumbSettings>, _ palette: SettingsHandle<Palette>?) {
        (self.settings, self.palette) = (settings, palette)
    }

    var answers: [LifecycleAnswer] {
        for name in [LifecycleNotification.Name.didBecomeActive, .willReload, .didReload, .didFailToReload] {
            on(name) { [self] notification in try take(notification) }
        }
        on(.statusRequested) { [self] in try take($0) }
    }

    private func take(_ notification: LifecycleNotification) throws {
        let carried = settings.value(in: notification)
        let colors = palette.map { " \($0.value.colors)" } ?? ""
        let line =
            "\(notification.name): \(carried.sizeMax.bytes), in effect \(settings.value.sizeMax.bytes)\(colors)\n"
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
    let palette = try getenv("PALETTE").map { String(cString: $0) }.map { path in
        try service.settings(Palette.self) { try .read(path) }
    }
    try service.mediator.addListener(ThumbListener(settings, palette))
}
