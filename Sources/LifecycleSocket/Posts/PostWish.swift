// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import LifecycleListeners
internal import Varlink

/// What a client wants to have posted. It is read from the message itself, as this is what the socket does most.
struct PostWish {
    private(set) var name = ""
    private(set) var userInfo: UserInfo = [:]
    /// Whether the client waits for the listeners.
    private(set) var waits = false

    init(_ request: VarlinkRequest) {
        request.readParameters { (key, parser) throws(VarlinkParseError) in
            switch key {
            case "name": name = try parser.value().stringValue ?? ""
            case "userInfo": userInfo = try UserInfo(&parser)
            case "wait": waits = try parser.value().boolValue ?? false
            default: _ = try parser.value()
            }
        }
    }

    /// User info that is an object in JSON which was found to be right.
    static nonisolated func userInfo(_ text: ArraySlice<UInt8>) -> UserInfo { UserInfo(JSONText(text).object) }
}
