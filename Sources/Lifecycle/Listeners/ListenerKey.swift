// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// What a listener is followed by: its name or its type.
nonisolated enum ListenerKey: Hashable, Sendable {
    case name(UTF8Text)
    case type(ObjectIdentifier)
}

extension LifecycleListener {
    /// The listeners of these types, whatever their names are, for `follows`:
    ///
    ///     var follows: [String] { follows(StoreListener.self) + ["cache"] }
    ///
    /// A listener of a subclass is of another type. A type without a listener has no effect.
    public func follows(_ types: any LifecycleListener.Type...) -> [String] { types.map(FollowedTypes.text) }
}

/// The types that listeners follow. Each has a text that stands for it in `follows`.
enum FollowedTypes {
    private static var types: [UTF8Text: ObjectIdentifier] = [:]

    /// The text that stands for a type: its name with that of its module.
    static func text(of type: any LifecycleListener.Type) -> String {
        let text = String(reflecting: type)
        types[UTF8Text(text)] = ObjectIdentifier(type)
        return text
    }

    /// What an entry of `follows` stands for.
    static func key(of text: String) -> ListenerKey {
        let text = UTF8Text(text)
        return types[text].map { .type($0) } ?? .name(text)
    }
}
