// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ServiceLifecycle

/// A service that tells when it begins. swift-service-lifecycle starts a task for each service and does not say when
/// that task has come to run.
nonisolated struct BeginningService: Service {
    let service: any Service
    let onBegin: @Sendable () -> Void

    func run() async throws {
        onBegin()
        try await service.run()
    }
}
