// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySystemd
import Logging
import Testing

@testable import BelfryLogging

struct MetadataFieldsTests {
    private func fields(_ metadata: Logger.Metadata) -> [String] {
        var fields: [String] = []
        MetadataFields(metadata).fields.forEach { fields.append("\($0)=\($1)") }
        return fields
    }

    @Test(arguments: [
        ("request-id", "REQUEST_ID"), ("userID", "USERID"), ("http.method", "HTTP_METHOD"), ("größe", "GR____E"),
        ("2nd", "METADATA_2ND"), ("_internal", "METADATA__INTERNAL"), ("", "METADATA_"), ("ä", "METADATA___"),
        ("message", "METADATA_MESSAGE"), ("Priority", "METADATA_PRIORITY"), ("MESSAGE_ID", "METADATA_MESSAGE_ID"),
        ("belfry-state", "METADATA_BELFRY_STATE"), ("code.file", "METADATA_CODE_FILE"), ("logger", "METADATA_LOGGER"),
        ("syslog.facility", "METADATA_SYSLOG_FACILITY"), ("error", "METADATA_ERROR"), ("errors", "ERRORS"),
    ])
    func keyBecomesAValidName(key: String, name: String) {
        #expect(MetadataFields.name(key) == name)
    }

    @Test func nameHasAtMost64Bytes() {
        #expect(MetadataFields.name(String(repeating: "a", count: 100)) == String(repeating: "A", count: 64))
        #expect(MetadataFields.name("1" + String(repeating: "a", count: 100)).utf8.count == 64)
    }

    @Test func nestedValuesAreJSON() {
        let metadata: Logger.Metadata = [
            "colours": ["red", "bl\"ue"], "empty": [:], "nested": ["b": ["c": "\(1)"], "a": []], "number": "\(2)",
            "object": .stringConvertible(3),
        ]

        #expect(
            fields(metadata) == [
                #"COLOURS=["red","bl\"ue"]"#, "EMPTY={}", #"NESTED={"a":[],"b":{"c":"1"}}"#, "NUMBER=2", "OBJECT=3",
            ])
    }

    @Test func keysWithTheSameNameAreTwoFields() {
        #expect(fields(["a-b": "1", "a_b": "2"]) == ["A_B=1", "A_B=2"])
    }

    @Test func fieldsAndValuesAreLimited() {
        let metadata = Dictionary(uniqueKeysWithValues: (100..<200).map { ("key\($0)", Logger.MetadataValue("\($0)")) })
        let long = String(repeating: "ä", count: 10_000)

        #expect(fields(metadata).count == 65)
        #expect(fields(metadata).prefix(2) == ["KEY100=100", "KEY101=101"])
        #expect(fields(metadata).last == "BELFRY_METADATA_OMITTED=36")
        #expect(fields(["long": "\(long)"]) == ["LONG=\(long.prefix(4096))…"])
    }

    @Test(arguments: ["0123456789abcdef0123456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"])
    func messageIDIsTheIDOfTheRecord(id: String) {
        let metadata = MetadataFields(["MESSAGE_ID": "\(id)", "a": "b"])

        #expect(metadata.messageID == "0123456789abcdef0123456789abcdef")
        #expect(fields(["MESSAGE_ID": "\(id)", "a": "b"]) == ["A=b"])
        #expect(metadata.text.description == " a=b")
    }

    @Test(arguments: ["", "0123", "0123456789abcdef0123456789abcdeg", "0123456-789ab-cdef-0123-456789abcdef"])
    func otherTextUnderMessageIDIsMetadata(text: String) {
        #expect(MetadataFields(["MESSAGE_ID": "\(text)"]).messageID == nil)
        #expect(fields(["MESSAGE_ID": "\(text)"]) == ["METADATA_MESSAGE_ID=\(text)"])
    }

    @Test func textCannotBeTakenForAnotherValueOrLine() {
        let metadata: Logger.Metadata = [
            "a": "b=c", "empty": "", "line\n": "x\ny", "quote": "say \"hi\"", "two words": "three words here",
        ]

        #expect(
            MetadataFields(metadata).text.description
                == #" a="b=c" empty="" "line\n"="x\ny" quote="say \"hi\"" "two words"="three words here""#)
        let long = MetadataFields(["long": "\(String(repeating: "x", count: 1000))"]).text.description
        #expect(long == " long=\(String(repeating: "x", count: 512))…")
    }
}
