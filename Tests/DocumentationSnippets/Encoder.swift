// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

struct Image {
    let bytes: Int
}

func keepClients(of service: BelfryService, _ serve: (OwnedDescriptor) throws -> Void) throws {
    for client in service.descriptors.receive(named: "client-7") { try serve(client) }
}

func keep(_ client: OwnedDescriptor, of service: BelfryService) throws {
    try service.descriptors.store(client.number, as: "client-7")
    service.descriptors.removeStored("client-7")  // when the client has left
}

func handOver(_ service: BelfryService) -> Int32? {
    let socket = service.descriptors.receive(named: "http").first?.release()
    return socket
}

func encode(_ path: String, to output: OwnedDescriptor, _ service: BelfryService) throws {
    var command = ChildCommand("/usr/bin/ffmpeg", ["-i", path])
    command.descriptors = [0, output.number, 2]  // its standard input, output and error
    let child = try service.start(command) { exit in print("ffmpeg: \(exit.reason)") }

    child.end(within: .seconds(5)) { exit in print("ended: \(exit.reason)") }
}

final class Thumbnails {
    var images: [String: Image] = [:]

    func flush(_ level: MemoryWarning.Level) {
        images = level == .full ? [:] : images.filter { $1.bytes < 64 << 10 }
    }
}

func cache(_ service: BelfryService) {
    let thumbnails = Thumbnails()
    service.observeEvent(MemoryWarning.self) { warning in thumbnails.flush(warning.level) }
    service.observe(.flushRequested) { _ in thumbnails.flush(.full) }
    service.observe(.didEnterBackground) { _ in thumbnails.flush(.full) }
}
