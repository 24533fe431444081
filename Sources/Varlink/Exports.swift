// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// What is sent and received.
@_exported public import BelfryJSON
