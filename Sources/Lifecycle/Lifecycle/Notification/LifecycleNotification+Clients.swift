// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What clients may do with the names of notifications.
nonisolated extension LifecycleNotification.Name {
    /// How a client may cause a notification of this name.
    package enum ClientAccess: Sendable, Equatable {
        /// It may post it.
        case post
        /// It may simulate it, because the system causes it.
        case simulate
        /// It may not, for this reason. If clients could post the service's own notifications, listeners could not rely
        /// on them.
        case refused(String)
    }

    /// How a client may cause a notification of this name.
    package var clientAccess: ClientAccess {
        switch self {
        case .flushRequested, .statusRequested, .performFetch, .didReceiveNotification: .post
        case .didReceiveMemoryWarning, .significantTimeChange, .powerFailing, .protectedDataWillBecomeUnavailable,
            .protectedDataDidBecomeAvailable:
            .simulate
        case .performAction: .refused("it has a method of its own, 'belfryctl perform'")
        case .openURL: .refused("it has a method of its own, 'belfryctl open'")
        case _ where isTransition: .refused("it belongs to a change of state or a reload")
        case _ where Self.catalogue.contains(self): .refused("only the service posts it")
        default: .post
        }
    }

    /// The user info of a simulation, in which what is missing has a default; nil if this does not fit the
    /// notification.
    package func simulated(_ userInfo: UserInfo) -> UserInfo? {
        let read: UserInfo?
        switch self {
        case .didReceiveMemoryWarning: read = MemoryWarning(userInfo: userInfo)?.userInfo
        case .significantTimeChange where userInfo.isEmpty: read = TimeChange.clock(step: .seconds(3600)).userInfo
        case .significantTimeChange: read = TimeChange(userInfo: userInfo)?.userInfo
        case .protectedDataWillBecomeUnavailable: read = ProtectedDataLoss(userInfo: userInfo)?.userInfo
        case .protectedDataDidBecomeAvailable: read = ProtectedDataArrival(userInfo: userInfo)?.userInfo
        default: read = [:]
        }
        return read.map { userInfo.merging($0) { $1 }.merging(["simulated": true]) { $1 } }
    }
}

nonisolated extension LifecycleNotification {
    /// Whether a client has simulated what the system causes.
    package var isSimulated: Bool { userInfo["simulated"] == true && name.clientAccess == .simulate }
}
