// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Keeps an observation for as long as its stream is read.
final class ObservationHolder {
    var observation: LifecycleObservation?
}
