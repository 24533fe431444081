// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// User info that came as text. Most is only passed on: values are made of it when somebody asks for them.
package nonisolated struct DeferredUserInfo: Sendable {
    let text: ArraySlice<UInt8>
    private let read: @Sendable (ArraySlice<UInt8>) -> UserInfo

    /// - Parameters:
    ///   - text: what came.
    ///   - read: makes values of it, each time it is asked to.
    package init(_ text: ArraySlice<UInt8>, read: @escaping @Sendable (ArraySlice<UInt8>) -> UserInfo) {
        self.text = text
        self.read = read
    }

    var values: UserInfo { read(text) }
}
