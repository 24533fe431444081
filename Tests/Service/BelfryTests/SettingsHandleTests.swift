// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryTesting
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@testable import Belfry

struct SettingsHandleTests {
    @Test func mediatorEndsThoughItsListenerHasAHandle() throws {
        weak var ended: LifecycleMediator?
        let handle = try {
            let mediator = LifecycleMediator(clock: ManualClock())
            ended = mediator
            let handle = SettingsHandle(5, in: mediator)
            try mediator.addListener(ClosureListener("size") { $0.on(.flushRequested) { _ in _ = handle.value } })
            return handle
        }()

        #expect(ended == nil)
        #expect(handle.value == 5)
    }

    nonisolated struct Share: Codable, Sendable, Equatable {
        enum Mode: String, Codable, CaseIterable { case mirror, archive }

        var mode = Mode.mirror
        var sizeMax = ByteSize(bytes: 1024)
        var timeout = Duration.milliseconds(1500)
        var folders = ["/srv/a", "/srv/b c"]
        var isOn = true
        var title: String?
        var ratio = 0.5
    }

    @Test func keysThatAreNotSetHaveTheirDefaults() async throws {
        var handle: SettingsHandle<Share>?
        let test = try TestService { handle = try $0.settings(Share(), section: "Share") }
        let settings = try #require(handle)
        #expect(settings.value == Share())

        try test.replaceSettings("[Share]\nTimeout=2min\nFolders=/x\nTitle=old\nMode=archive\n")
        await test.script.run(.perform(.launch), .perform(.reload))

        let expected = Share(mode: .archive, timeout: .seconds(120), folders: ["/x"], title: "old")
        #expect(settings.value == expected)
        #expect(await Task.detached { settings.value }.value == expected)
    }

    /// Not after a reload that is refused, or not accepted by all, or only a check.
    @Test func handlerIsCalledAfterAReloadThatAllHaveAccepted() async throws {
        var values: [Double] = []
        let listener = RecordingListener("last", [.didReload])
        let test = try TestService {
            let settings = try $0.settings(Share(), section: "Share")
            $0.observeReloads { values.append(settings.value.ratio) }
            try $0.mediator.addListener(listener)
        }
        await test.script.run(.perform(.launch))

        try test.replaceSettings("[Share]\nRatio=2\n")
        test.service.mediator.checkReload { _ in }
        await test.script.run(.perform(.reload))
        #expect(values == [2])

        try test.replaceSettings("[Share]\nRatio=soon\n")
        await test.script.run(.perform(.reload))
        listener.behavior = .throwing(LifecycleRefusal("no"))
        try test.replaceSettings("[Share]\nRatio=3\n")
        await test.script.run(.perform(.reload))
        #expect(values == [2])
    }

    /// A type with a raw value is encoded by Swift itself.
    nonisolated struct Quality: Codable, Sendable {
        struct Percent: RawRepresentable, Codable, Sendable {
            let rawValue: Int

            init?(rawValue: Int) {
                guard (1...100).contains(rawValue) else { return nil }
                self.rawValue = rawValue
            }
        }

        var quality = Percent(rawValue: 80)!
    }

    @Test func valueIsCheckedByItsType() async throws {
        var handle: SettingsHandle<Quality>?
        let test = try TestService { handle = try $0.settings(Quality(), section: "Share") }
        let settings = try #require(handle)
        #expect(settings.value.quality.rawValue == 80)
        await test.script.run(.perform(.launch))

        for text in ["90", "101", "ten"] {
            try test.replaceSettings("[Share]\nQuality=\(text)\n")
            await test.script.run(.perform(.reload))
        }

        #expect(settings.value.quality.rawValue == 90)
        #expect(test.script.refusals.count == 2)
        #expect(test.script.refusals.first?.hasSuffix("Cannot initialize Percent from invalid Int value 101") == true)
    }

    @Test func allValuesThatDoNotFitAreReported() async throws {
        let text = "[Share]\nTimeout=soon\nIsOn=perhaps\nMode=copy\nSizeMax=4\nColour=red\n"
        let error = #expect(throws: ConfigurationRefusal.self) {
            _ = try TestService(settings: text) { _ = try $0.settings(Share(), section: "Share") }
        }

        let reasons = error?.reading.reasons ?? []
        let places = reasons.map { $0.prefix { $0 != " " }.split(separator: "/").last.map { String($0) } }
        #expect(
            places == ["service.conf:2:9:", "service.conf:3:6:", "service.conf:4:6:", "service.conf:6:1:"],
            "\(reasons)")
    }

    @Test func sectionsWithANameAreDecodedEach() async throws {
        var handle: SettingsHandle<[String: Share]>?
        let text = "[Share photos]\nIsOn=no\n[Share music]\nRatio=0.25\n[Share photos]\nRatio=1\n"
        let test = try TestService(settings: text) { handle = try $0.settings(Share(), sections: "Share") }
        let settings = try #require(handle)
        #expect(settings.value == ["photos": Share(isOn: false, ratio: 1), "music": Share(ratio: 0.25)])

        try test.replaceSettings("[Share]\nIsOn=no\n[Share a b]\n[Share c]\nColour=red\n")
        await test.script.run(.perform(.launch), .perform(.reload))
        #expect(test.script.notificationNames.last == "didFailToReload" && settings.value.count == 2)

        try test.replaceSettings("")
        await test.script.run(.perform(.reload))
        #expect(settings.value.isEmpty)
    }
}
