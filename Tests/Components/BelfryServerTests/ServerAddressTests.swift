// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import LifecycleTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServerAddressTests {
    @Test(arguments: [
        ("systemd:echo", ServerAddress.systemd("echo")), ("/run/echo/socket", .path("/run/echo/socket")),
        ("@echo", .path("@echo")), ("127.0.0.1:7007", .port(7007)), ("[::1]:7007", .port(7007, of: "::1")),
        ("0.0.0.0:65535", .port(65535, of: "0.0.0.0")),
    ])
    func textIsAnAddress(text: String, address: ServerAddress) {
        #expect(ServerAddress(text) == address && address.description == text)
    }

    @Test(arguments: [
        "", "/", "@", "systemd:", "echo", "run/echo", "7007", ":7007", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
        "::1:7007", "127.0.0.1:7007 ", "127.0.0.1:+7", "localhost:7007", "127.1:7007",
        "[::1%lo]:7007", "256.0.0.1:7007", "/" + String(repeating: "a", count: 107),
    ])
    func otherTextIsNone(text: String) { #expect(ServerAddress(text) == nil) }

    nonisolated struct Settings: Codable, Sendable {
        var listen = ServerAddress.port(7007)
    }

    @Test func addressHasADefaultInSettings() async throws {
        var handle: SettingsHandle<Settings>?
        let test = try TestService { handle = try $0.settings(Settings(), section: "Echo") }
        let settings = try #require(handle)
        #expect(settings.value.listen == .port(7007))

        try test.replaceSettings("[Echo]\nListen=@echo\n")
        await test.script.run(.perform(.launch), .perform(.reload))

        #expect(settings.value.listen == .path("@echo"))
    }

    @Test func hostThatIsNotNumericIsAnError() throws {
        let service = try ServerFixture(at: .port(7007, of: "localhost"))

        let problems = service.problems(of: .launch)

        #expect(problems == ["unable to listen on 'localhost:7007': Invalid argument (EINVAL)"])
    }
}
