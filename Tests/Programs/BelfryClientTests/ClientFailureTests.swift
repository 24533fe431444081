// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import Glibc
import BelfryLinux
import Testing
import Varlink

struct ClientFailureTests {
    @Test(arguments: [
        (ENOENT, CommandStatus.unavailable), (ECONNREFUSED, .unavailable), (EAGAIN, .unavailable),
        (EACCES, .permission),
        (EPERM, .permission), (EMFILE, .system), (ENAMETOOLONG, .system),
    ])
    func connectionErrorHasItsExitStatus(_ code: Int32, _ status: CommandStatus) {
        let error = VarlinkError.system(SystemError(code, verb: "connect to", object: "/run/x"))

        let failure = ClientFailure(connecting: error, to: "/run/x")

        #expect(failure.status == status)
        #expect(failure.lines.first?.hasPrefix("unable to connect to '/run/x': ") == true)
        #expect(failure.lines.count == (status == .unavailable ? 2 : 1))
    }

    @Test(arguments: [
        ("org.varlink.service.PermissionDenied", CommandStatus.permission, "permission denied"),
        ("io.belfry.Lifecycle.Stopping", .unavailable, "the service is stopping"),
        ("io.belfry.Lifecycle.InvalidName", .usage, "it is invalid"),
        ("org.varlink.service.MethodNotFound", .unavailable, "this version of the service does not support it"),
        ("io.example.Odd", .unavailable, "the service answered 'io.example.Odd'"),
    ])
    func errorReplyHasItsExitStatus(_ name: String, _ status: CommandStatus, _ reason: String) {
        let failure = ClientFailure(calling: .failed(name: name, parameters: [:]), to: "post", "x")

        #expect(failure.status == status)
        #expect(failure.lines.first == "unable to post 'x': \(reason)")
    }

    @Test(arguments: [
        ("/run/videod", "systemctl status videod", ""),
        ("/run/videod@one", "systemctl status videod@one", ""),
        ("/run/user/7/belfry@video", "systemctl --user status belfryd@video", "belfryctl enable video"),
    ])
    func hintNamesTheManagerOfTheUnit(_ directory: String, _ command: String, _ enable: String) {
        let path = "\(directory)/io.belfry.Lifecycle"
        let error = VarlinkError.system(SystemError(ENOENT, verb: "connect to", object: path))

        let failure = ClientFailure(connecting: error, to: path)

        #expect(failure.lines.last?.contains(" see '\(command)'; ") == true, "\(failure.lines)")
        #expect(failure.lines.last?.contains("'belfryctl enable ") == !enable.isEmpty, "\(failure.lines)")
        #expect(enable.isEmpty || failure.lines.last?.contains("'\(enable)'") == true, "\(failure.lines)")
    }

    @Test func closedConnectionHasAHint() {
        let failure = ClientFailure(calling: .closed, to: "get the state of", "/run/x")

        #expect(failure.status == .unavailable)
        #expect(failure.lines.first == "unable to get the state of '/run/x': service closed the connection")
        #expect(failure.lines.count == 2)
    }

    @Test func refusedParameterIsNamed() {
        let error = VarlinkError.failed(
            name: "org.varlink.service.InvalidParameter", parameters: ["parameter": "timeoutUsec"])

        let failure = ClientFailure(calling: error, to: "hold", "x")

        #expect(failure.status == .usage)
        #expect(failure.lines == ["unable to hold 'x': the service does not accept this value of 'timeoutUsec'"])
    }

    @Test func reasonsOfARefusedReloadArePrintedAsLines() {
        let reasons: JSONObject = ["reasons": ["/etc/b.conf:3:1: unknown", "two\nlines", "\u{1B}[2J"]]
        let error = VarlinkError.failed(name: "io.belfry.Lifecycle.ReloadRefused", parameters: reasons)

        let failure = ClientFailure(calling: error, to: "reload", "x")

        #expect(failure.status == .configuration)
        #expect(failure.lines == ["/etc/b.conf:3:1: unknown", "two", "lines", "\\u{1B}[2J"])
    }

    @Test func aReloadThatWasNotAppliedNamesItsListeners() {
        let error = VarlinkError.failed(
            name: "io.belfry.Lifecycle.ReloadFailed",
            parameters: [
                "reports": [
                    [
                        "listener": "lamp", "notification": "didReload", "outcome": "overran",
                        "durationUsec": 3_000_000,
                        "reason": "Reload= has not ended within its deadline",
                    ],
                    [
                        "listener": "quick", "notification": "didReload", "outcome": "completed", "durationUsec": 0,
                        "work": "done",
                    ],
                ]
            ])

        let failure = ClientFailure(calling: error, to: "reload", "x")

        #expect(failure.status == .failure)
        #expect(
            failure.lines == [
                "listener 'lamp' gave no answer to didReload after 3 s: Reload= has not ended within its deadline",
                "the service keeps its old configuration; whether the listeners named here have the new one is not known",
            ])
    }
}
