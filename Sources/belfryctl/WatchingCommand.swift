// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryConfiguration
import BelfryClient

/// A command that follows what happens to the service.
protocol WatchingCommand: ServiceCommand {
    /// The notifications.
    var names: [String] { get }
    /// What came after this number first.
    var after: Int64? { get }
}

extension WatchingCommand {
    func validate() throws {
        do {
            for name in names { _ = try NotificationName.parse(name) }
        } catch {
            throw ValidationError(error.message)
        }
        if let after, after < 0 { throw ValidationError("a sequence number is not negative") }
    }

    /// What is followed.
    @MainActor func subject(isAwaited: Bool, _ context: CommandContext) -> Watch.Subject {
        context.warn(of: names)
        return Watch.Subject(path: context.path, names: names, after: after, isAwaited: isAwaited)
    }
}
