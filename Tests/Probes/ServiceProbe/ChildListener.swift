// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Starts a child, and writes down how many descriptors the service and the child may have open.
final class ChildListener: LifecycleListener {
    let name = "probe"
    private let service: ServiceContext

    init(_ service: ServiceContext) { self.service = service }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in
            let child = fork()
            if child == 0 {
                pause()
                _exit(0)
            }
            try service.restoreDescriptorLimit(ofChild: child)
            say("own", getpid())
            say("child", child)
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
    }

    private func say(_ who: String, _ pid: Int32) {
        guard let file = fopen("/proc/\(pid)/limits", "r") else { return }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let words = line.split { $0 == 32 || $0 == 10 || $0 == 0 }.map {
                String(decoding: $0.map(UInt8.init), as: UTF8.self)
            }
            guard words.starts(with: ["Max", "open", "files"]) else { continue }
            let text = "\(who) \(words[3])\n"
            write(STDERR_FILENO, text, text.utf8.count)
        }
    }
}
