// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfryListeners

/// The last run of the application's unit for which the program was told, over restarts of this service within a boot: a file in
/// the runtime directory.
final class UnitRunRecord {
    /// Its id; nil if none is known.
    private(set) var last: String?
    private let file: StateFile

    /// Reads what the last process left. What cannot be read counts as nothing.
    init(in directory: String) {
        file = StateFile(path: directory + "/unit-run", limit: 64)
        last = (try? file.read()).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Keeps the id of a run.
    ///
    /// - Returns: why it could not be stored.
    func write(_ run: String) -> SystemError? {
        last = run
        do throws(SystemError) { try file.write(Array(run.utf8), durably: false) } catch { return error }
        return nil
    }
}
