// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// A run of the application's unit for which the program was told.
struct UnitRun: Equatable {
    /// Its invocation ID.
    let id: String
    var marks: Set<Mark> = []

    /// What is still to be done about it.
    enum Mark: String, CaseIterable {
        /// A pause of the run before has to end.
        case paused
        /// `Stop=` has begun, and counts if the unit runs on; or the unit had ended before.
        case stopped
        /// `unitDidDegrade` was posted, in this run or one before, and `unitDidRecover` was not.
        case degraded
    }
}

/// Keeps the last run of the unit over restarts of this service within a boot: a file in the runtime directory.
final class UnitRunRecord {
    /// The run; nil if none is known.
    private(set) var last: UnitRun?
    private let unit: String
    private let file: StateFile?

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
        let texts = words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        last = UnitRun(id: texts[0], marks: Set(texts.dropFirst().compactMap(UnitRun.Mark.init)))
    }

    /// Keeps a run.
    ///
    /// - Returns: why it could not be stored.
    func write(_ run: UnitRun) -> SystemError? {
        last = run
        let words = [unit, run.id] + UnitRun.Mark.allCases.filter(run.marks.contains).map(\.rawValue)
        do throws(SystemError) {
            try file?.write(Array(words.joined(separator: " ").utf8), durably: false)
        } catch {
            return error
        }
        return nil
    }
}
