// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Varlink

func serveTime(on loop: MainEventLoop) throws -> VarlinkServer {
    let info = VarlinkServiceInfo(vendor: "Example", product: "Clock", version: "1", url: "https://example.com")
    let server = try VarlinkServer(info, on: loop)
    try server.add(
        VarlinkInterface(
            """
            interface com.example.clock
            method Now() -> (seconds: int)
            """,
            methods: ["Now": { request in request.reply(["seconds": 7]) }]))
    try server.listen(on: "unix:/run/clock/com.example.clock")
    return server
}

func askTime(on loop: MainEventLoop) throws -> VarlinkClient {
    let client = try VarlinkClient("unix:/run/clock/com.example.clock", on: loop)
    client.call("com.example.clock.Now") { reply in
        if case .success(let parameters) = reply { print(parameters) }
    }
    return client
}
