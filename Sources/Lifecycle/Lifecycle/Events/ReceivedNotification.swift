// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A message of another program: the user info of `didReceiveNotification`.
///
/// A client sends one with `belfryctl post didReceiveNotification name=TEXT`, and the code of the service posts it for
/// a message that it has received in its own way. Listeners answer with `onFetch(.didReceiveNotification)` if the
/// sender is to learn whether there was new data.
public nonisolated struct ReceivedNotification: LifecycleEvent, Equatable {
    /// What the message is called. Key `name`.
    public var message: String
    /// The values of the message. Key `userInfo`.
    public var content: UserInfo
    /// Whether the service was in the foreground, `active` or `inactive`, when it received the message. Key
    /// `foreground`.
    public var isInForeground: Bool

    /// A message.
    public init(_ message: String, _ content: UserInfo = [:], isInForeground: Bool) {
        self.message = message
        self.content = content
        self.isInForeground = isInForeground
    }

    /// `didReceiveNotification`
    public static let name = LifecycleNotification.Name.didReceiveNotification

    /// Decodes the values. `name` is required; without `foreground` the message was received in the background.
    public init?(userInfo: UserInfo) {
        guard let message = userInfo.text("name") else { return nil }
        self.init(message, userInfo.object("userInfo") ?? [:], isInForeground: userInfo["foreground"] == true)
    }

    /// `name`, `userInfo` and `foreground`
    public var userInfo: UserInfo {
        ["name": .string(message), "userInfo": .object(content), "foreground": .bool(isInForeground)]
    }
}

extension LifecycleMediator {
    /// A message that is received in the present state.
    package func received(_ message: String, _ content: UserInfo) -> ReceivedNotification {
        ReceivedNotification(message, content, isInForeground: state == .active || state == .inactive)
    }
}
