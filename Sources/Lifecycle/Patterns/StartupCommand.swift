// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One piece of the work of a launch, with a name and a deadline: open the store, warm the cache, listen.
///
/// A `StartupSequence` runs commands in order. Whoever implements one does its work in `run`, ends early when its task
/// is cancelled, and throws when it could not do it; `run` is called at most once a launch.
public protocol StartupCommand {
    /// What the command is called in reports; its type's name unless it says otherwise.
    var name: String { get }

    /// How long it may take; 10 s unless it says otherwise.
    var deadline: Duration { get }

    /// Whether the launch is refused when the command fails or is not done in time. True unless it says otherwise;
    /// the failure of one that is not required is reported, and the next command runs.
    var isRequired: Bool { get }

    /// Does the work.
    func run(_ options: LaunchOptions) async throws
}

extension StartupCommand {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }
    /// 10 s.
    public var deadline: Duration { .seconds(10) }
    /// It is.
    public var isRequired: Bool { true }
}
