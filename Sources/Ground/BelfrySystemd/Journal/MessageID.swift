// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The kinds of record in the journal. Each has an entry in the message catalog, which `journalctl -x` shows.
package nonisolated enum MessageID: String, Sendable, CaseIterable {
    /// The service moved from one state to another, or is about to.
    case transition = "994b68f054af4c7f9c3694405375de96"
    /// A notification that does not change the state.
    case notification = "cdc183064fb84b79aa7aa52d3e158a6d"
    /// A listener refused, failed or overran its deadline.
    case listenerFailed = "3651aebcdaa34df29eab59397f0cda01"
    /// The status of a listener, requested with SIGUSR2.
    case listenerStatus = "410b2baa41684b5abe4d1b45a292c8df"
    /// A listener has become unhealthy, or is healthy again.
    case listenerHealth = "8f0a6b1cf1d54b3c9d0e6a7c5b2f4e19"
    /// A listener follows a name that no listener has.
    case unknownFollowed = "c1f0a6a47b9e4e0d8a53d7b2964fe31c"
    /// A request was merged with one for the same that waits.
    case merged = "8d5c1f0a7be24d4ab3c96e02f17a4b6c"
    /// How long a transition took, and each listener in it.
    case timeline = "5b1d9c7e3f204a86b0e27c4d8a6f19e3"
    /// How long the listeners took to answer a post, and each of them.
    case answers = "8c8bea75e9d1445d954600843dd1208e"
    /// An error in the configuration.
    case configuration = "393da2b99ad549448982d47ba22074e2"
    /// Something in the configuration has no effect.
    case configurationDoubt = "9edd375bcc264df8bd156dc028b748c6"
    /// A client of the socket could not be served.
    case client = "6d0a4e6f2f0b4c0f9d9b1f7f4d1c8e21"
    /// The recent notifications of the last process cannot be used.
    case retention = "75f00414bd394c87a5d5789495cd5e2e"
    /// A client began or ended to hold the service, or a pause or a stop waits for one.
    case hold = "0f6c3d2be1a94d0f8d5b7a1c92e34f68"
    /// A program attached or detached as a listener.
    case attachment = "a94f1e7c50d24b6e8c3a6d19f7b2e085"
    /// A run of an attached program failed; written by belfry-listener.
    case programFailed = "3d6b1f0a52c84e7f9c14a8e07b5d2f93"
    /// A command of an application ran; written by belfry-listener.
    case commandRan = "7e0c4b92d6a14f358b1d93f0a6c2e574"
    /// Output of an attached program was dropped; written by belfry-listener.
    case outputDropped = "b07e5c41d9a24f6e8b3a60f2c7d8e915"
    /// A notification waited too long for the last run of an attached program; written by belfry-listener.
    case runDropped = "5e0d8b7a1c634f29a4d7f36b90c2e158"
    /// The connection to a service began or ended; written by belfry-listener.
    case connection = "9a7c42e60b5d4f13860fd1a3e5c97b24"
    /// The listener cannot go on; written by belfry-listener.
    case listenerEnded = "c41f93d5a8704e6bb25c07e9d6f1384a"
    /// Runs of a program have no control groups; written by belfry-listener.
    case notDelegated = "e82b5f0c7d914a36b94e1c60a7d3f58b"
    /// A listener says what it did.
    case listenerWork = "57d2a8f1b6c94e7d9f30c8e14ab2756d"
    /// The service ends at once, or before its listeners were done.
    case cutShort = "b8a4d0c07c1648a7a5e2a6a4c5f3d917"
    /// The control signal SIGRTMIN+18 came.
    case control = "e1f4b7d9a86d4c3c8a62f7d0b95c4e38"
    /// The requested log target cannot be used.
    case logTarget = "42999fbaf5464cd0bc471042a28fb24f"
    /// The log target did not take all records.
    case recordsLost = "6f2b8d70a94e4c1d8b35e0c7f1a2d964"
    /// The service manager did not take all messages.
    case managerBusy = "c3e90f5a7d1b4268a0f4b9e85c62d713"
    /// A pause that should have ended in a SIGSTOP did not.
    case notSuspended = "6f430d57b9ce47579b662f354f2bf771"
    /// Sleep or shutdown of the machine does not wait for the service.
    case inhibitor = "cb548c4ea43b48e48de4f7b19b97b7c5"
    /// The machine slept or shut down before the service was ready.
    case machineGoesOn = "2945baa1d40b44728acadcdcc2fc36f7"
    /// Something could not be stored for the next run, or read from the last one.
    case savedState = "e182ad57330d4ebd909d94613adced5f"
    /// What was done, or not, about the unit of an application.
    case application = "0d5ad0e1c8ab4f5e9f6e2f7c4b1a93d6"
    /// A source of notifications is missing.
    case sourceMissing = "372fb14339ed40e69af65832b6bb20ab"
    /// The event loop stood still for more than a tenth of a second.
    case loopBlocked = "5c0e7d1f9ab4436d8e2b60c3f7a91d52"
    /// The service failed.
    case failure = "2c9e60b1d2a34e0fb0f5c1d47a8b63f5"
}
