// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import BelfryListeners

/// The last run of the application's unit for which the program was told, over restarts of this service within a boot:
/// a file in the runtime directory.
final class UnitRunRecord {
    /// Its id; nil if none is known.
    private(set) var last: String?
    /// Whether a pause of the run before has still to end.
    private(set) var endsPause = false
    private let file: StateFile

    /// Reads what the last process left. What cannot be read counts as nothing.
    init(in directory: String) {
        file = StateFile(path: directory + "/unit-run", limit: 64)
        let words = (try? file.read()).flatMap { $0 }?.split(separator: UInt8(ascii: " ")) ?? []
        last = words.first.map { String(decoding: $0, as: UTF8.self) }
        endsPause = words.count > 1
    }

    /// Keeps the id of a run.
    ///
    /// - Returns: why it could not be stored.
    func write(_ run: String, endsPause: Bool) -> SystemError? {
        (last, self.endsPause) = (run, endsPause)
        let text = run + (endsPause ? " paused" : "")
        do throws(SystemError) { try file.write(Array(text.utf8), durably: false) } catch { return error }
        return nil
    }
}
