// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A service with metrics of swift-metrics, as a process, read by a parser that is not ours.
@MainActor @Suite(.timeLimit(.minutes(2)))
struct MetricsProcessTests {
    private struct Family: Decodable {
        struct Sample: Decodable {
            let name: String
            let labels: [String: String]
            let value: String
        }

        let name: String
        let type: String
        let unit: String
        let help: String
        let samples: [Sample]
    }

    private let fixture: DaemonFixture
    private let service: ProbeProcess

    init() throws {
        fixture = DaemonFixture()
        service = try fixture.startReady("MetricsProbe", [])
    }

    /// What the parser of Prometheus' Python client reads, by name.
    private func parsed(_ text: String) throws -> [String: Family] {
        let parser = Process()
        parser.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        parser.arguments = [ProjectFile.url("Tests/Components/BelfryMetricsTests/open_metrics.py").path]
        let (input, output) = (Pipe(), Pipe())
        parser.standardInput = input
        parser.standardOutput = output
        try parser.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        try input.fileHandleForWriting.close()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        parser.waitUntilExit()
        try #require(parser.terminationStatus == 0, "\(text)")
        let families = try JSONDecoder().decode([Family].self, from: json)
        return Dictionary(uniqueKeysWithValues: families.map { ($0.name, $0) })
    }

    @Test func serviceHasTheSameTextForARouteOfItsOwn() throws {
        #expect(try fixture.control(["post", "--wait", "write"]).status == 0)

        let own = try String(contentsOfFile: fixture.directory.path("run/metrics"), encoding: .utf8)

        let printed = try fixture.control(["metrics"]).lines
        func families(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("# ") } }
        let lines = own.split(separator: "\n").map(String.init)
        #expect(families(lines) == families(printed))
        #expect(lines.contains { $0.hasPrefix("temperature{service=") && $0.hasSuffix("} -2.5") })
        #expect(service.stop().status == 0)
    }

    @Test func openMetricsTextIsReadByPrometheus() throws {
        let (lines, status) = try fixture.control(["metrics"])
        #expect(status == 0 && lines.last == "# EOF")

        let families = try parsed(lines.joined(separator: "\n") + "\n")

        let requests = families["http_requests"]
        #expect(requests?.type == "counter" && requests?.samples.map(\.value) == ["4.0", "3.0"])
        let labels = requests?.samples.last?.labels.filter { $0.key != "service" }
        #expect(labels == ["method": "GET", "path": #"/a"b\c\nd\u{0085}"#])
        #expect(families["temperature"]?.samples.first?.value == "-2.5")
        #expect(families["not_a_number"]?.samples.first?.value == "nan")
        #expect(families["body_size"]?.type == "summary")
        let duration = families["request_duration_seconds"]
        #expect(duration?.type == "histogram" && duration?.unit == "seconds")
        #expect(duration?.samples.first { $0.labels["le"] == "0.025" }?.value == "0.0")
        #expect(duration?.samples.first { $0.labels["le"] == "0.05" }?.labels["label_le"] == "x")
        #expect(duration?.samples.first { $0.name == "request_duration_seconds_sum" }?.value == "0.03")
        let launch = families["belfry_transition_duration_seconds"]?.samples.filter {
            $0.labels["transition"] == "launch"
        }
        #expect(launch?.first { $0.labels["le"] == "+Inf" }?.value == "1.0")
        #expect(launch?.first { $0.name.hasSuffix("_count") }?.value == "1.0")
        let state = families["belfry_state"]?.samples.filter { $0.value == "1.0" }
        #expect(state?.map(\.labels["state"]) == ["active"])
        #expect(
            families["belfry_notifications"]?.samples.contains { $0.labels["notification"] == "didBecomeActive" }
                == true)
        #expect(families["belfry_uptime_seconds"]?.unit == "seconds")
        // A gauge whose name is that of the counter's samples.
        #expect(families["belfry_metrics_refused"]?.samples.first?.value == "1.0")
        #expect(families["belfry_connections"]?.help == "Connections on the socket")
        #expect(service.stop().status == 0)
    }

    @Test func objectHasTheSameText() throws {
        let (json, _) = try fixture.control(["metrics", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(json.joined().utf8)) as? [String: Any]
        #expect((object?["text"] as? String)?.hasSuffix("# EOF\n") == true)
        #expect(service.stop().status == 0)
    }
}
