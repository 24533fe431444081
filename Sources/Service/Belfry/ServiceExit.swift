// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The exit codes of a service, those of sysexits(3) where one fits.
package nonisolated enum ServiceExit {
    /// It stopped in order.
    package static let success: Int32 = 0
    /// The command line was not understood.
    package static let usage: Int32 = 64
    /// A part of the service failed (`BelfryService.fail(_:)`).
    package static let failure: Int32 = 70
    /// The system refused something, or the launch was refused.
    package static let system: Int32 = 71
    /// The configuration is wrong.
    package static let configuration: Int32 = 78

    /// Cut short by this signal.
    package static func signal(_ number: Int32) -> Int32 { 128 + number }
}
