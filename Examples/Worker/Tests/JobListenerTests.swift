// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc
import LifecycleTesting
import Testing

@testable import Worker

/// Jobs in a private directory.
final class JobListenerTests {
    private let script = LifecycleScript()
    private let folder: String
    private let jobs: JobListener

    init() throws {
        var template = Array("/tmp/worker-\(String(repeating: "X", count: 6))".utf8CString)
        folder = String(cString: try #require(mkdtemp(&template)))
        let settings = WorkerSettings(directory: folder, sizeMax: ByteSize(bytes: 5))
        jobs = JobListener(SettingsHandle(settings, in: script.mediator))
        try script.mediator.addListener(jobs)
    }

    deinit { system("rm -r '\(folder)'") }

    private func store(_ job: String) { jobs.store(Array(job.utf8)) }

    private func number(ofTheJob text: String) -> Int? {
        (1...100).first { system("grep -qx '\(text)' '\(folder)/job-\($0)' 2> /dev/null") == 0 }
    }

    @Test func numbersJobs() {
        store("first")
        store("next")

        #expect(number(ofTheJob: "first") == 1)
        #expect(number(ofTheJob: "next") == 2)
    }

    @Test func refusesAJobThatIsTooLong() {
        store("longer")
        store("short")

        #expect(number(ofTheJob: "longer") == nil)
        #expect(number(ofTheJob: "short") == 1)
    }

    @Test func numberIsRestored() {
        jobs.decodeRestorableState(JobListener.State(number: 41))

        store("job")
        #expect(number(ofTheJob: "job") == 42)
        #expect(jobs.encodeRestorableState().number == 42)
    }

    @Test func actionRestartsTheNumbersAndReplacesNoFile() async {
        store("first")
        await script.run(.perform(.launch), .post(.performAction, userInfo: ["action": "restart-numbers"]))

        #expect(jobs.encodeRestorableState().number == 0)
        store("next")
        #expect(number(ofTheJob: "next") == 2)
    }

    @Test func refusesAReloadWithoutItsDirectory() async {
        await script.run(.perform(.launch))
        script.readConfiguration = {
            var configuration = LifecycleConfiguration()
            configuration[WorkerSettings.self] = WorkerSettings(directory: "/nowhere")
            return configuration
        }

        await script.run(.perform(.reload))

        let reason = "unable to write to '/nowhere': No such file or directory"
        #expect(script.problems == ["willReload: JobListener: \(reason)"])
        #expect(script.notificationNames.last == "didFailToReload")
        store("job")
        #expect(number(ofTheJob: "job") == 1)
    }
}
