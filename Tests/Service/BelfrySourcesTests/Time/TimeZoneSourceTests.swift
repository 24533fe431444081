// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
@testable import BelfrySources
import Foundation
import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TimeZoneSourceTests {
    private let fixture: SourceFixture

    init() throws { fixture = try SourceFixture() }

    @Test func variableSelectsTheFile() {
        #expect(TimeZoneFile(variable: nil)?.path == "/etc/localtime")
        #expect(TimeZoneFile(variable: ":/etc/localtime")?.path == "/etc/localtime")
        #expect(TimeZoneFile(variable: "/srv/zone")?.path == "/srv/zone")
        #expect(TimeZoneFile(variable: "Europe/Berlin") == nil && TimeZoneFile(variable: "") == nil)
    }

    @Test func fileIsSplitIntoDirectoryAndEntry() {
        let file = TimeZoneFile(variable: nil)

        #expect(file?.directory == "/etc" && file?.entry == "localtime")
        #expect(TimeZoneFile(variable: "/zone")?.directory == "/")
    }

    @Test(arguments: [
        ("../usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"), ("/usr/share/zoneinfo/UTC", "UTC"),
        ("/srv/zoneinfo/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("/srv/summer", "/srv/summer"),
    ])
    func linkNamesTheZone(target: String, name: String) throws {
        try fixture.link("localtime", to: target)

        #expect(try file().zone.name == name)
    }

    @Test func missingFileIsUTCAndACopyHasNoName() throws {
        #expect(try file().zone.name == "UTC")
        try fixture.directory.write("localtime", "TZif")
        #expect(try file().zone.name == nil)
    }

    /// On an overlay the upper half of the numbers says which layer has the file.
    @Test(arguments: [0, 1 << 63, 1 << 63 | 5, .max] as [UInt])
    func copyIsToldByAnyInodeNumber(inode: UInt) {
        var (one, other) = (stat(), stat())
        (one.st_ino, other.st_ino) = (inode, inode ^ 1)

        #expect(TimeZoneFile.Zone(copy: one) == TimeZoneFile.Zone(copy: one))
        #expect(TimeZoneFile.Zone(copy: one) != TimeZoneFile.Zone(copy: other))
    }

    @Test func eachZoneChangeIsPostedWithBothNames() throws {
        try fixture.link("localtime", to: "/zoneinfo/Europe/Berlin")
        var changes = 0
        let source = try TimeZoneSource(loop: fixture.loop, mediator: fixture.mediator, file: file()) { changes += 1 }

        try fixture.link("other", to: "/zoneinfo/Asia/Tokyo")
        try fixture.link("localtime", to: "/zoneinfo/Europe/Berlin")
        try fixture.loop.turnWithoutWaiting()
        #expect(fixture.posted.isEmpty)
        try fixture.link("localtime", to: "/zoneinfo/Asia/Tokyo")
        try fixture.turnUntilPosted()
        unlink(fixture.directory.path("localtime"))
        try fixture.turnUntilPosted(2)
        try fixture.directory.write("localtime", "TZif")
        try fixture.turnUntilPosted(3)

        #expect(
            fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [
                .timeZone(from: "Europe/Berlin", to: "Asia/Tokyo"), .timeZone(from: "Asia/Tokyo", to: "UTC"),
                .timeZone(from: "UTC", to: nil),
            ])
        #expect(changes == 3)
        withExtendedLifetime(source) {}
    }

    private func file() throws -> TimeZoneFile {
        try #require(TimeZoneFile(variable: fixture.directory.path("localtime")))
    }
}
