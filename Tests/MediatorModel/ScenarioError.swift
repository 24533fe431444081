// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a listener of a scenario throws.
nonisolated enum ScenarioError: Error { case oops }
