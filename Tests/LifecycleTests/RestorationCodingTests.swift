// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RestorationCodingTests {
    typealias Shapes = RestorationShapes

    private func returned<Value: Codable>(_ value: Value) throws -> Value {
        try JSONValueDecoder().decode(Value.self, from: JSONValueEncoder().encode(value))
    }

    @Test func everyShapeComesBackAsItWas() throws {
        #expect(try returned(Shapes.Widths()) == Shapes.Widths())
        #expect(try returned(Shapes.Optionals()) == Shapes.Optionals())
        #expect(try returned(Shapes.Mixed()) == Shapes.Mixed())
        #expect(try returned(Shapes.ByHand()) == Shapes.ByHand())
        #expect(try returned([[Int]: String]()) == [:])
        #expect(try returned([[1, 2]: "list", [3]: "other"]) == [[1, 2]: "list", [3]: "other"])
    }

    @Test(arguments: [
        Shapes.Event.idle, .playing(track: "", at: -0.0), .failed(.min, "x"), .after(.idle),
    ])
    func enumsWithPayloadComeBack(event: Shapes.Event) throws {
        #expect(try returned(event) == event)
    }

    @Test func singleValuesNeedNoContainer() throws {
        #expect(try returned(true) == true)
        #expect(try returned("") == "")
        #expect(try returned(UInt64.max) == .max)
        #expect(try returned(Int128.min) == .min)
        #expect(try returned(Int?.none) == nil)
        #expect(try returned(Int?.some(3)) == 3)
        #expect(try returned(-0.0).sign == .minus)
    }

    @Test func valuesThatAreNoNumbersInJSONAreRefused() {
        for value in [Double.infinity, -.infinity, .nan] {
            #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(["key": value]) }
        }
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Float.nan) }
    }

    @Test func encodedFormIsThatOfJSON() throws {
        #expect(
            try JSONValueEncoder().encode(Shapes.Optionals()) == [
                "some": 5, "list": ["a", .null, "c"], "byName": ["none": .null, "one": 1],
            ])
        #expect(
            try JSONValueEncoder().encode([Shapes.Event.playing(track: "a", at: 2)]) == [
                ["playing": ["track": "a", "at": 2.0]]
            ])
        #expect(try JSONValueEncoder().encode([2: true]) == ["2": true])
        #expect(try JSONValueEncoder().encode(UInt64(1) << 63) == "9223372036854775808")
    }

    @Test func superclassesKeepTheirPart() throws {
        let derived = Shapes.Derived()
        derived.id = 4
        derived.name = "n"

        let value = try JSONValueEncoder().encode(derived)
        let back = try JSONValueDecoder().decode(Shapes.Derived.self, from: value)

        #expect(value == ["name": "n", "super": ["id": 4]])
        #expect(back.id == 4 && back.name == "n")
    }

    @Test func typeThatEncodesNothingIsAnEmptyObject() throws {
        struct Nothing: Codable {
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {}
        }

        #expect(try JSONValueEncoder().encode(Nothing()) == [:])
        #expect(try JSONValueEncoder().encode([Nothing()]) == [[:]])
    }

    @Test func lastValueOfAKeyCounts() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case key }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .key)
                try container.encode("two", forKey: .key)
            }
        }

        #expect(try JSONValueEncoder().encode(Twice()) == ["key": "two"])
    }

    @Test func randomTreesComeBack() throws {
        var generator = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let event = (0..<Int.random(in: 0..<20, using: &generator)).reduce(Shapes.Event.idle) { inner, _ in
                Bool.random(using: &generator)
                    ? .after(inner) : .failed(Int.random(in: .min ... .max, using: &generator), "e")
            }
            #expect(try returned([event, event]) == [event, event])
        }
    }
}
