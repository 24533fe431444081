// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Foundation
import Testing

struct RecordFormatTests {
    private func line(_ format: RecordFormat, _ record: JournalRecord) -> String {
        String(decoding: format.line(record, identifier: "videod"), as: UTF8.self)
    }

    private func record(_ message: RecordText, id: String? = nil, fields: JournalFields = [:]) -> JournalRecord {
        var record = JournalRecord(.warning, message, id: id, fields: fields)
        record.realtimeUsec = 1_767_362_602_000_042
        return record
    }

    @Test func textHasTimeLevelAndIdentifier() {
        var record = record("first\nsecond", fields: ["A": "b"])
        record.textSuffix = " key=value"

        #expect(line(.text, record) == "2026-01-02T14:03:22.000042Z warning videod: first\n  second key=value\n")
    }

    @Test func timeIsThatOfWritingWithoutOneOfItsOwn() throws {
        let before = Date(timeIntervalSinceNow: -0.001)
        let text = line(.text, JournalRecord(.info, "x")).prefix(27)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions.insert(.withFractionalSeconds)

        let time = try #require(formatter.date(from: String(text)))

        #expect(time > before && time <= Date())
    }

    @Test func jsonHasTheFieldsOfTheJournal() throws {
        var fields: JournalFields = ["A": "1=2", "B": "two\nlines", "C": "", "A": "3"]
        fields.add("A", Int64(4))
        let line = line(.json, record("first\nsecond", id: "0123", fields: fields))

        #expect(line.utf8.filter { $0 == 10 }.count == 1 && line.hasSuffix("\n"))
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
        #expect(
            object == [
                "SYSLOG_TIMESTAMP": "2026-01-02T14:03:22.000042Z", "MESSAGE": "first\nsecond", "PRIORITY": "4",
                "SYSLOG_IDENTIFIER": "videod", "MESSAGE_ID": "0123", "A": ["1=2", "3", "4"], "B": "two\nlines", "C": "",
            ])
    }

    @Test func jsonHasNoCharacterThatEndsALineOrControlsATerminal() throws {
        let value = "a\r\u{85}\u{2028}\u{9B}2J\u{202E}\u{1B}\u{E0001}ä"
        let line = line(.json, record("x", fields: ["A": value]))

        let isPlain = line.dropLast().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        #expect(isPlain && line.split(whereSeparator: \.isNewline).count == 1)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["A"] as? String == value)
    }
}
