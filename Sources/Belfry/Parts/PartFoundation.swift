// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import BelfryListeners
package import BelfrySystemd

/// What is known of a service before there is a mediator.
package struct PartFoundation {
    /// What the program asked for.
    package let options: ServiceOptions
    /// What is configured.
    package let settings: BelfrySettings
    /// Who the service is.
    package let identity: ServiceIdentity
    /// Where it logs.
    package let log: ServiceLog
    /// How the service speaks to the service manager.
    package let manager: ServiceManagerSocket
}
