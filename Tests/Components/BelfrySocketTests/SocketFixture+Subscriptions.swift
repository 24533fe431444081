// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Lifecycle
import TestSupport
import Varlink

extension SocketFixture {
    /// Subscribes on a connection of its own, and waits for the state.
    func subscribe(_ parameters: JSONObject = [:]) throws -> ReplyRecorder {
        let subscriber = try more("Subscribe", parameters)
        try turn { subscriber.replies.count == 1 }
        return subscriber
    }

    /// Has reloads read these settings.
    func readOnReload(_ settings: @autoclosure @escaping () -> BelfrySettings) {
        readConfiguration = {
            var configuration = LifecycleConfiguration()
            configuration[BelfrySettings.self] = settings()
            return configuration
        }
    }
}

extension ReplyRecorder {
    /// The notifications of a subscription.
    var notifications: [JSONValue] { replies.compactMap { $0["notification"] } }
}

extension VarlinkError {
    static func invalidParameter(_ name: String) -> VarlinkError {
        .failed(name: "org.varlink.service.InvalidParameter", parameters: ["parameter": .string(name)])
    }
}
