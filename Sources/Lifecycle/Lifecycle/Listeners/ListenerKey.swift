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
    /// The keys of the types that listeners follow, by the text that stands for each in `follows`.
    private static var types: [UTF8Text: String] = [:]

    /// The text that stands for a type: its name with that of its module.
    static func follow(_ type: any LifecycleListener.Type) -> String {
        let text = String(reflecting: type)
        types[UTF8Text(text)] = key(of: type)
        return text
    }

    /// The key that an entry of `follows` stands for.
    static func followed(by text: String) -> String { types[UTF8Text(text)] ?? text }

    /// The key of a type. Names have no white space.
    nonisolated static func key(of type: any LifecycleListener.Type) -> String {
        " \(UInt(bitPattern: ObjectIdentifier(type)))"
    }
}
