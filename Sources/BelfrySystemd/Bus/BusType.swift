// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The type codes of the D-Bus specification that are used here.
nonisolated enum BusType {
    static let byte = code("y")
    static let boolean = code("b")
    static let uint16 = code("q")
    static let uint32 = code("u")
    static let uint64 = code("t")
    static let string = code("s")
    static let objectPath = code("o")
    static let signature = code("g")
    static let descriptor = code("h")
    static let array = code("a")
    static let variant = code("v")
    static let structure = code("r")
    static let dictionaryEntry = code("e")

    private static func code(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }
}
