// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryJSON
import TestSupport
import Testing

@testable import belfry_fleetd

struct FleetSettingsTests {
    private func decode<Value: Decodable>(
        _ type: Value.Type, _ section: String, _ text: String
    ) throws -> DecodedSection<Value> {
        let folder = try TemporaryDirectory()
        let path = try folder.write("fleet.conf", "[\(section)]\n\(text)\n")
        return SectionDecoder.decode(type, section: section, of: ConfigurationLoader.read(from: .files([path])))
    }

    @Test func commandIsAcceptedByNameAndSender() throws {
        let text = "Accept=reload@op pause@op post:flushRequested@deploy"
        let settings = try #require(try decode(FleetSettings.self, "Fleet", text).value)
        #expect(settings.accepts(.reload, from: "op") && settings.accepts(.pause, from: "op"))
        #expect(!settings.accepts(.resume, from: "op") && !settings.accepts(.reload, from: "deploy"))
        #expect(settings.accepts(.post(name: "flushRequested", userInfo: [:]), from: "deploy"))
        #expect(!settings.accepts(.post(name: "other", userInfo: [:]), from: "deploy"))
        #expect(!settings.accepts(.post(name: "flushRequested", userInfo: [:]), from: "op"))
    }

    @Test func byDefaultNothingIsAccepted() throws {
        let settings = try #require(try decode(FleetSettings.self, "Fleet", "Name=prod").value)
        #expect(settings.accept.isEmpty && settings.topics.fleet == "prod" && !settings.view)
    }

    @Test(arguments: [
        "Accept=halt@op", "Accept=pause", "Accept=pause@", "Accept=pause@o/p", "Accept=post:@op", "Accept=post:a b@op",
        "Name=", "Name=a/b", "Host=+", "Host=#", "Renewal=10ms", "Renewal=2d", "Socket=relative", "Colour=red",
    ])
    func otherValuesAreRefusedWithTheirPlace(text: String) throws {
        let decoded = try decode(FleetSettings.self, "Fleet", text)
        if text == "Name=" {
            #expect(decoded.value?.name == "default", "an empty assignment counts as none")
        } else {
            #expect(decoded.value == nil && decoded.diagnostics.first?.description.contains("fleet.conf:2:") ?? false)
        }
    }

    @Test func keysAreSpelledAsTheManualHasThem() throws {
        let broker = try decode(
            BrokerSection.self, "Broker",
            "Url=mqtts://a\nCAFile=/a\nCertificateFile=/b\nKeyFile=/c\nUser=d\nPasswordFile=/e")
        #expect(broker.value?.caFile == "/a" && broker.value?.passwordFile == "/e")
    }

    @Test(arguments: [
        ("mqtts://broker.example", "broker.example", 8883, true), ("mqtts://10.0.0.1:1", "10.0.0.1", 1, true),
        ("mqtt://localhost", "localhost", 1883, false), ("mqtts://[::1]", "::1", 8883, true),
        ("mqtts://[fe80::1%eth0]:65535", "fe80::1%eth0", 65535, true),
    ])
    func addressOfTheBrokerIsRead(text: String, host: String, port: UInt16, isTLS: Bool) throws {
        let url = try #require(BrokerURL(text))
        #expect(url.host == host && url.port == port && url.isTLS == isTLS)
        #expect(BrokerURL("\(url)") == url)
    }

    @Test(arguments: [
        "", "broker", "http://a", "mqtts://", "mqtts://a:", "mqtts://a:0", "mqtts://a:65536", "mqtts://a/b",
        "mqtts://[::1",
        "mqtts://[::1]x", "mqtts://u@a", "mqtts://a b",
    ])
    func otherAddressesAreRefused(text: String) {
        #expect(BrokerURL(text) == nil)
    }

    @Test(arguments: [
        "", "Url=mqtts://a\nKeyFile=/k", "Url=mqtts://a\nCertificateFile=/c", "Url=mqtts://a\nUser=u",
        "Url=mqtt://a\nUser=u\nPasswordFile=/p",
    ])
    func halfIdentityIsRefused(text: String) throws {
        #expect(try decode(BrokerSection.self, "Broker", text).value == nil)
    }
}
