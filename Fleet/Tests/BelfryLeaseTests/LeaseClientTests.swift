// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLease
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LeaseClientTests {
    private func client(
        _ server: LeaseServer, group: String = "default", id: String = "a", limit: Duration = .seconds(30)
    ) -> LeaseClient {
        LeaseClient(url: "http://127.0.0.1:\(server.port)/base/", group: group, id: id, limit: limit)
    }

    private func lock(_ client: LeaseClient) async -> Result<Void, LeaseError> {
        await withCheckedContinuation { continuation in client.lock { continuation.resume(returning: $0) } }
    }

    private func unlock(_ client: LeaseClient) async -> Result<Void, LeaseError> {
        await withCheckedContinuation { continuation in client.unlock { continuation.resume(returning: $0) } }
    }

    private func failure(_ result: Result<Void, LeaseError>) -> LeaseError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test func leaseIsTakenByOneHostAtATime() async throws {
        let server = try LeaseServer()
        let (first, second) = (client(server), client(server, id: "b"))

        try await lock(first).get()
        try await lock(first).get()
        let refused = await failure(lock(second))
        try await unlock(second).get()
        try await unlock(first).get()
        try await unlock(first).get()
        try await lock(second).get()

        #expect(
            refused
                == LeaseError(
                    mayTryAgain: true,
                    reason:
                        "unable to lock group 'default' at 'http://127.0.0.1:\(server.port)/base/': the server answers "
                        + "409: failed_lock: semaphore currently full, all slots are locked already"))
        #expect(
            server.stop() == [
                "pre-reboot default a 200", "pre-reboot default a 200", "pre-reboot default b 409",
                "steady-state default b 200", "steady-state default a 200", "steady-state default a 200",
                "pre-reboot default b 200",
            ])
    }

    @Test func requestsAreSentOneAfterTheOther() async throws {
        let server = try LeaseServer()
        let client = client(server)

        let results = await withCheckedContinuation { continuation in
            var results: [Bool] = []
            for number in 0..<12 {
                (number % 2 == 0 ? client.lock : client.unlock) {
                    results.append((try? $0.get()) != nil)
                    if results.count == 12 { continuation.resume(returning: results) }
                }
            }
        }

        // One is under way and eight wait; the others are answered at once.
        #expect(results == [false, false, false] + [Bool](repeating: true, count: 9))
        #expect(
            server.stop().map { $0.split(separator: " ")[0] }
                == (0..<9).map { $0 % 2 == 0 ? "pre-reboot" : "steady-state" })
    }

    @Test func conflictIsOverWhenTriedAgain() async throws {
        let server = try LeaseServer()
        let client = client(server, group: "conflict")

        let failures = [await failure(lock(client)), await failure(lock(client))]
        try await lock(client).get()

        for failure in failures {
            #expect(failure?.mayTryAgain == true)
            #expect(failure?.reason.hasSuffix(": the server answers 500: failed_lock: conflicting key") == true)
        }
        #expect(server.stop().count == 3)
    }

    @Test(arguments: [
        ("error", true, "the server answers 503: internal_error: no\\nquorum"),
        ("empty-error", true, "the server answers 502"),
        ("created", false, "the server answers 201"),
        ("redirect", false, "the server answers 307"),
        ("bad_group", false, "the server answers 400: bad_client_params: "),
        ("rubbish", true, "Received HTTP/0.9 when not allowed"),
        ("close", true, "Empty reply from server"),
        ("stall", true, "Operation timed out after 1"),
        ("long", true, "Failure writing output to destination"),
        ("headers", true, "Failed writing header"),
    ])
    func wrongAnswerIsAnError(group: String, mayTryAgain: Bool, reason: String) async throws {
        let server = try LeaseServer()

        let error = await failure(lock(client(server, group: group, limit: .seconds(1))))

        let beginning = "unable to lock group '\(group)' at 'http://127.0.0.1:\(server.port)/base/': "
        #expect(error?.mayTryAgain == mayTryAgain)
        #expect(error?.reason.hasPrefix(beginning + reason) == true, "\(error?.reason ?? "none")")
    }

    @Test(arguments: [
        ("http://127.0.0.1:1", "Failed to connect to 127.0.0.1 port 1"),
        ("http://broker.invalid", "Could not resolve host: broker.invalid"),
        ("file:///etc/passwd#", "Protocol \"file\" not supported or disabled in libcurl"),
        ("nonsense://x", "Protocol \"nonsense\" not supported or disabled in libcurl"),
        ("http://user:secret@127.0.0.1:1/", "Failed to connect to 127.0.0.1 port 1"),
    ])
    func serverThatCannotBeReachedIsAnError(url: String, reason: String) async {
        let error = await failure(unlock(LeaseClient(url: url, group: "default", id: "a")))

        #expect(error?.mayTryAgain == true)
        #expect(error?.reason.hasPrefix("unable to unlock group 'default' at '") == true)
        #expect(error?.reason.contains("': \(reason)") == true, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("secret") == false)
    }

    @Test func certificateOfTheServerIsVerified() async throws {
        let (authority, other) = (try CertificateAuthority(), try CertificateAuthority())
        let (certificate, key) = try authority.issue("server", names: "DNS:localhost")
        let server = try LeaseServer(["--certificate", certificate, "--key", key])
        func request(_ host: String, _ file: String?) async -> LeaseError? {
            await failure(
                lock(LeaseClient(url: "https://\(host):\(server.port)/base", group: "default", id: "a", caFile: file)))
        }

        #expect(await request("localhost", authority.file) == nil)
        #expect(await request("localhost", other.file)?.reason.contains("certificate") == true)
        #expect(await request("localhost", nil)?.reason.contains("certificate") == true)
        #expect(await request("127.0.0.1", authority.file)?.reason.contains("'127.0.0.1'") == true)
        #expect(server.stop() == ["pre-reboot default a 200"])
    }
}
