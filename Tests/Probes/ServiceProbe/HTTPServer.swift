// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import Glibc

/// Answers one request of HTTP on each connection, and says at `/readyz` whether the service is ready.
func httpServer(_ service: BelfryService, quietPeriod: Duration?) -> ConnectionServer {
    ConnectionServer(service, named: "http", at: .port(8081), quietPeriod: quietPeriod) { connection in
        try connection.watch { _ in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = max(recv(connection.descriptor, &bytes, bytes.count, 0), 0)
            let request = String(decoding: bytes[..<count], as: UTF8.self)
            let status = request.hasPrefix("GET /readyz ") && !service.isReady ? 503 : 200
            let answer = "HTTP/1.1 \(status) \r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n"
            send(connection.descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            connection.end()
        }
        return {}
    }
}
