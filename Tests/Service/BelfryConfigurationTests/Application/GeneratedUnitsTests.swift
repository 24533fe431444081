// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct GeneratedUnitsTests {
    private func units(_ keys: String, isOfUser: Bool = false) throws -> [String: GeneratedUnits.Content] {
        let text = "[Application]\nUnit=postgresql@15-main.service\n\(keys)\n[On]\nStop=s\n"
        let file = ApplicationFile(
            "pg", in: .system(), reader: MemoryFiles(["/etc/belfry/applications/pg.conf": text]))
        let files = GeneratedUnits(try #require(file.settings), isOfUser: isOfUser).files
        return Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.content) })
    }

    private func text(_ content: GeneratedUnits.Content?) throws -> String {
        guard case .text(let text) = try #require(content) else { return "" }
        return text
    }

    @Test func theUnitWantsTheInstanceAndBothAreBoundToIt() throws {
        let units = try units("User=postgres")

        #expect(
            units["postgresql@15-main.service.wants/belfryd@pg.service"]
                == .link("/usr/lib/systemd/system/belfryd@.service"))
        let service = try text(units["belfryd@pg.service.d/50-application.conf"])
        let program = try text(units["belfry-listener@pg.service.d/50-application.conf"])
        for text in [service, program] {
            #expect(text.contains("\nBindsTo=postgresql@15-main.service\nAfter=postgresql@15-main.service\n"))
            #expect(text.contains("\nSourcePath=/etc/belfry/applications/pg.conf\n"))
            #expect(text.contains("\n[Service]\nEnvironment=BELFRY_APPLICATION=pg\n"))
        }
        #expect(service.contains("\nWants=belfry-listener@pg.service\n"))
        #expect(program.contains("\nBefore=belfryd@pg.service\n"))
        #expect(units.count == 3)
    }

    @Test func aUserHasTheProtectionsOfADynamicOne() throws {
        let name = "belfry-listener@pg.service.d/50-application.conf"
        let program = try text(units("User=a%b%\u{301}")[name])

        let lines = [
            "User=a%%b%%\u{301}", "DynamicUser=no", "RemoveIPC=no", "ProtectSystem=strict", "NoNewPrivileges=yes",
        ]
        for line in lines {
            #expect(program.contains("\n\(line)\n"), "\(line)")
        }
        #expect(!(try text(units("")[name])).contains("User="))
        let root = try text(units("User=root")[name])
        #expect(root.contains("\nCapabilityBoundingSet=~\nProtectSystem=full\n") && !root.contains("PrivateTmp="))
        #expect(!(try text(units("", isOfUser: true)[name])).contains("DynamicUser="))
    }

    @Test(arguments: ["", "User=pg", "User=root"])
    func theProgramOfAnApplicationIsInNoGroupThatControlsServices(user: String) throws {
        let units = try units(user)

        let program = try text(units["belfry-listener@pg.service.d/50-application.conf"])
        #expect(program.contains("\n[Service]\nSupplementaryGroups=\n"))
        #expect(!(try text(units["belfryd@pg.service.d/50-application.conf"])).contains("SupplementaryGroups="))
    }

    @Test func aLongCommandRaisesTheLimitsOfTheUnits() throws {
        let short = try units("Timeout=5s"), long = try units("Timeout=2min")

        #expect(!(try text(short["belfryd@pg.service.d/50-application.conf"])).contains("Timeout"))
        #expect(try text(long["belfryd@pg.service.d/50-application.conf"]).contains("TimeoutStartSec=131s\n"))
        #expect(try text(long["belfryd@pg.service.d/50-application.conf"]).contains("TimeoutStopSec=371s\n"))
        #expect(try text(long["belfry-listener@pg.service.d/50-application.conf"]).contains("TimeoutStopSec=251s\n"))
    }
}
