// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// The listener of the article: answers each line with the same in capitals, while the service is active.
final class LineListener: LifecycleListener {
    nonisolated struct Settings: Decodable, Sendable {
        var greeting: String?
    }

    private let service: BelfryService
    private let settings: SettingsHandle<Settings>
    private var socket: DescriptorEventSource?
    private var clients: [Int32: DescriptorEventSource] = [:]

    init(_ service: BelfryService) throws {
        self.service = service
        settings = try service.settings(Settings.self, section: "Lines")
    }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            guard let socket = service.descriptors.receive(named: "lines").first else {
                throw LifecycleRefusal("no socket 'lines'")
            }
            self.socket = try service.loop.source(owning: socket, .readable) { [unowned self] _ in accept() }
            self.socket?.isEnabled = false
        }
        on(.didBecomeActive) { [self] _ in socket?.isEnabled = true }
        on(.willResignActive) { [self] _ in socket?.isEnabled = false }
        on(.didEnterBackground) { [self] _ in clients = [:] }
    }

    private func accept() {
        let client = OwnedDescriptor(owning: Glibc.accept(socket?.descriptor ?? -1, nil, nil))
        guard client.number >= 0 else { return }
        send((settings.value.greeting ?? "hello") + "\n", to: client.number)
        let number = client.number
        clients[number] = try? service.loop.source(owning: client, .readable) { [unowned self] _ in read(from: number) }
    }

    private func read(from client: Int32) {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(client, &bytes, bytes.count, 0)
        guard count > 0 else {
            clients[client] = nil
            return
        }
        send(String(decoding: bytes.prefix(count), as: UTF8.self).uppercased(), to: client)
    }

    private func send(_ text: String, to client: Int32) {
        _ = Glibc.send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }
}
