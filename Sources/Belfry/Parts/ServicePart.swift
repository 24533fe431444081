// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service can have beyond the mediator, its sources, the logger and the service manager.
///
/// Each part is a library of its own, which gives it a name here: `.socket` comes with `BelfrySocket`, `.cacheFlush`
/// with `BelfryCacheFlush`. A program that does not name a part does not link it.
public nonisolated struct ServicePart: Sendable {
    /// What the program calls it.
    let name: String
    let make: @MainActor @Sendable (PartFoundation) throws -> any AssembledPart

    /// A part that is made by `make` when the service begins.
    package init(_ name: String, _ make: @escaping @MainActor @Sendable (PartFoundation) throws -> any AssembledPart) {
        self.name = name
        self.make = make
    }
}
