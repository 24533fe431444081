// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A notification whose user info has a type.
///
/// A `Codable` type needs nothing else:
///
///     struct Uploaded: LifecycleEvent, Codable {
///         var path: String
///         var bytes: Int
///     }
///
///     mediator.post(Uploaded(path: "/srv/a", bytes: 3))  // Uploaded with {"path":"/srv/a","bytes":3}
public nonisolated protocol LifecycleEvent: Sendable {
    /// The notification. The default is the name of the type. A type whose name is not one for a notification, such as
    /// that of a generic type, has to declare one.
    static var name: LifecycleNotification.Name { get }

    /// Whether the notification has a record in the journal. The default is true. Without a record, `belfryctl history`
    /// does not show it, and a subscriber gets it only as long as it is in memory.
    static var isLogged: Bool { get }

    /// What its line in the journal says after the name and the origin. The default is nil: the user info as JSON. At
    /// most 512 bytes are shown.
    var logText: String? { get }

    /// Decodes the user info; nil when it does not fit the type. `Decodable` types have a default.
    init?(userInfo: UserInfo)

    /// The user info, in the process and on the socket. `Encodable` types have a default.
    var userInfo: UserInfo { get }
}

nonisolated extension LifecycleEvent {
    /// The name of the type.
    public static var name: LifecycleNotification.Name {
        let type = String(describing: Self.self)
        guard let name = LifecycleNotification.Name(type) else {
            preconditionFailure("'\(type)' is no name for a notification: declare 'static let name'")
        }
        return name
    }

    /// True.
    public static var isLogged: Bool { true }

    /// Nil: the user info.
    public var logText: String? { nil }

    /// The event that a notification carries.
    init(_ notification: LifecycleNotification) throws(LifecycleEventError) {
        guard let event = Self(userInfo: notification.userInfo) else {
            throw LifecycleEventError(name: Self.name, userInfo: notification.userInfo)
        }
        self = event
    }

    /// What the journal says of it.
    var journalEntry: JournalEntry { Self.isLogged ? logText.map { .text($0) } ?? .standard : .none }
}

/// The key for the reason why an event could not be encoded.
private nonisolated let encodingError = "encodingError"

nonisolated extension LifecycleEvent where Self: Decodable {
    /// Decodes the type from a JSON object with `JSONValueDecoder`.
    public init?(userInfo: UserInfo) {
        guard userInfo[encodingError] == nil,
            let event = try? JSONValueDecoder().decode(Self.self, from: .object(userInfo))
        else { return nil }
        self = event
    }
}

nonisolated extension LifecycleEvent where Self: Encodable {
    /// The type as a JSON object, encoded with `JSONValueEncoder`.
    ///
    /// A value that cannot be encoded, such as a number that is not finite or more than 64 nested containers, is posted
    /// all the same: with the reason under `encodingError` as its user info, which does not fit the type.
    public var userInfo: UserInfo {
        do {
            if case .object(let info) = try JSONValueEncoder().encode(self) { return info }
            return [encodingError: "\(Self.self) is not encoded as an object"]
        } catch {
            return [encodingError: .string("\(error)")]
        }
    }
}

/// The user info of a notification does not fit the type that the listener asked for.
public nonisolated struct LifecycleEventError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The notification.
    public let name: LifecycleNotification.Name
    /// Its user info.
    public let userInfo: UserInfo

    /// The problem, with the keys of the user info.
    public var description: String {
        if case .string(let reason) = userInfo[encodingError] { return "'\(name)' could not be encoded: \(reason)" }
        return "user info of '\(name)' does not fit its type, it has \(userInfo.keys.sorted().joined(separator: ", "))"
    }
}

/// What the journal says of a notification after its name and origin.
package nonisolated enum JournalEntry: Sendable, Equatable {
    /// What is known for its name, else the user info.
    case standard
    /// This text.
    case text(String)
    /// It has no record.
    case none
}
