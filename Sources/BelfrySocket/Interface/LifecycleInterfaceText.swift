// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The description of `io.belfry.Lifecycle`, as clients read it with `varlinkctl introspect`.
package nonisolated let lifecycleInterfaceText = """
    # The life of a service: where it is, what happens to it, and who has a say.
    interface io.belfry.Lifecycle

    \(lifecycleInterfaceTypes)

    \(lifecycleInterfaceMethods)

    \(lifecycleInterfaceErrors)
    """
