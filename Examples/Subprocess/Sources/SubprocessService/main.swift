// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service that starts children in both ways: with swift-subprocess, and with Belfry. Then it stops.

import Belfry
import Glibc
import Subprocess

/// Prints the signal mask of each child.
final class ChildrenListener: LifecycleListener {
    private static let question = ["^SigBlk:", "/proc/self/status"]
    private let service: BelfryService

    init(_ service: BelfryService) { self.service = service }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching, deadline: .seconds(20)) { _ in
            let child = try await run(
                .name("grep"), arguments: Arguments(Self.question), output: .string(limit: 4096))
            print("swift-subprocess: \(child.terminationStatus)\n\(child.standardOutput)", terminator: "")
            // Before the next child writes to the same output.
            fflush(nil)
        }
        onCompletion(.didBecomeActive, deadline: .seconds(20)) { [self] _, done in
            do throws(SystemError) {
                let child = try service.start(ChildCommand("grep", Self.question)) { [self] exit in
                    print("Belfry: \(exit.reason)")
                    done(.success(()))
                    Task { service.mediator.perform(.stop) }
                }
                return { child.end(within: .zero) }
            } catch {
                done(.failure(error))
                return {}
            }
        }
    }
}

ServiceMain.run(ServiceOptions(name: "subprocess", configurationFiles: ["/dev/null"], logLevel: "err")) { service in
    try service.mediator.addListener(ChildrenListener(service))
}
