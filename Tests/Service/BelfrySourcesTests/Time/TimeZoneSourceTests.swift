// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
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
        let source = try TimeZoneSource(loop: fixture.loop, mediator: fixture.mediator, file: file()) { _ in
        } onChange: {
            changes += 1
        }

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

    @Test(arguments: [false, true])
    func directoryThatIsReplacedIsWatchedAgain(isRenamed: Bool) throws {
        let (folder, name) = (fixture.directory.path("zones"), "zones/localtime")
        mkdir(folder, 0o700)
        try fixture.link(name, to: "/zoneinfo/Europe/Berlin")
        var ends: [SystemError] = []
        let zone = try #require(TimeZoneFile(variable: fixture.directory.path(name)))
        let source = try TimeZoneSource(loop: fixture.loop, mediator: fixture.mediator, file: zone) {
            ends.append($0)
        } onChange: {
        }
        func remove() throws {
            let other = "\(folder).\(fixture.posted.count)"
            if isRenamed { rename(folder, other) } else { try FileManager.default.removeItem(atPath: folder) }
        }

        try remove()
        mkdir(folder, 0o700)
        try fixture.link(name, to: "/zoneinfo/Asia/Tokyo")
        try fixture.loop.turn { fixture.posted.count == 1 }
        try fixture.loop.turnWithoutWaiting()
        try fixture.link(name, to: "/zoneinfo/UTC")
        try fixture.loop.turn { fixture.posted.count == 2 }
        #expect(ends.isEmpty)
        try remove()
        try fixture.loop.turn { !ends.isEmpty }

        #expect(
            fixture.posted.map { TimeChange(userInfo: $0.userInfo) } == [
                .timeZone(from: "Europe/Berlin", to: "Asia/Tokyo"), .timeZone(from: "Asia/Tokyo", to: "UTC"),
            ])
        #expect(ends == [SystemError(ENOENT, verb: "watch", object: folder)])
        withExtendedLifetime(source) {}
    }

    private func file() throws -> TimeZoneFile {
        try #require(TimeZoneFile(variable: fixture.directory.path("localtime")))
    }
}
