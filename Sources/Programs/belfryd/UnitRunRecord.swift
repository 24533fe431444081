// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// The last run of the application's unit for which the program was told, over restarts of this service within a boot:
/// a file in the runtime directory.
final class UnitRunRecord {
    /// Its id; nil if none is known.
    private(set) var last: String?
    /// What is still to be done about it.
    private(set) var marks: Set<Mark> = []
    private let unit: String
    private let file: StateFile?

    /// What is still to be done about a run.
    enum Mark: String, CaseIterable {
        /// A pause of the run before has to end.
        case paused
        /// `Stop=` has begun, and counts if the unit runs on; or the unit had ended before.
        case stopped
        /// `unitDidDegrade` was posted, in this run or one before, and `unitDidRecover` was not.
        case degraded
    }

    /// Reads what the last process left. What cannot be read counts as nothing, and so does a run of another unit.
    /// Without a directory nothing is kept.
    ///
    /// - Parameter problem: called with the reason then.
    init(of unit: String, in directory: String?, problem: (SystemError) -> Void) {
        self.unit = unit
        file = directory.map { StateFile(path: $0 + "/unit-run", limit: 512) }
        var words: [ArraySlice<UInt8>] = []
        do throws(SystemError) {
            words = try file?.read()?.split(separator: UInt8(ascii: " ")) ?? []
        } catch {
            problem(error)
        }
        guard words.count > 1, words[0].elementsEqual(unit.utf8) else { return }
        last = String(decoding: words[1], as: UTF8.self)
        marks = Set(words.dropFirst(2).compactMap { Mark(rawValue: String(decoding: $0, as: UTF8.self)) })
    }

    /// Keeps a run with what is still to be done about it.
    ///
    /// - Returns: why it could not be stored.
    func write(_ run: String, _ marks: Set<Mark>) -> SystemError? {
        (last, self.marks) = (run, marks)
        let text = ([unit, run] + Mark.allCases.filter(marks.contains).map(\.rawValue)).joined(separator: " ")
        do throws(SystemError) { try file?.write(Array(text.utf8), durably: false) } catch { return error }
        return nil
    }
}
