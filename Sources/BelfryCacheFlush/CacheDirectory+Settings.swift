// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

nonisolated extension CacheDirectory {
    init(_ settings: CacheSettings) {
        self.init(
            name: settings.name, path: settings.path, sizeMax: settings.sizeMax, ageMax: settings.ageMax,
            filesMax: settings.filesMax, writeBack: settings.writeBack, dropPages: settings.dropPages)
    }
}
