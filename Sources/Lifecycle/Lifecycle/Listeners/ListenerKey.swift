// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

extension LifecycleListener {
    /// The listeners of these types, whatever their names are, for `follows`:
    ///
    ///     var follows: [String] { follows(StoreListener.self) + ["cache"] }
    ///
    /// A listener of a subclass is of another type. A type without a listener has no effect.
    public func follows(_ types: any LifecycleListener.Type...) -> [String] { types.map(ListenerKey.follow) }
}

/// What listeners are followed by: a name is its own key, and a type has one.
enum ListenerKey {
    /// The types that listeners follow, by the text that stands for each in `follows`.
    private static var types: [UTF8Text: Int] = [:]

    /// The text that stands for a type: its name with that of its module.
    static func follow(_ type: any LifecycleListener.Type) -> String {
        let text = String(reflecting: type)
        types[UTF8Text(text)] = number(of: type)
        return text
    }

    /// The key that an entry of `follows` stands for.
    static func followed(by text: String) -> String { types[UTF8Text(text)].map(type) ?? text }

    /// The number of a type in this process.
    nonisolated static func number(of type: any LifecycleListener.Type) -> Int {
        Int(bitPattern: ObjectIdentifier(type))
    }

    /// The key of a type. Names have no white space.
    nonisolated static func type(_ number: Int) -> String { " \(number)" }

    /// The number of a type by its key; nil when the key is a name.
    nonisolated static func number(of key: String) -> Int? {
        key.utf8.first == UInt8(ascii: " ") ? Int(key.dropFirst()) : nil
    }
}
