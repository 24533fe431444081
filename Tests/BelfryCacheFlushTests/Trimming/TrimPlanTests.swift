// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import CBelfry
import TestSupport
import Testing

@Suite nonisolated struct TrimPlanTests {
    static let now = Duration.seconds(1000)

    /// Files with the names 0, 1, 2… and the given sizes and ages.
    static func files(_ files: [(size: UInt64, age: Int64)]) -> [FoundFile] {
        files.enumerated().map { id, file in
            candidate(id, inode: UInt64(id), size: file.size, modified: 1000 - file.age)
        }
    }

    static func candidate(_ id: Int, device: UInt64 = 1, inode: UInt64, size: UInt64, modified: Int64) -> FoundFile {
        var status = belfry_status()
        (status.device, status.inode, status.size, status.seconds) = (device, inode, size, modified)
        let root = TreeNode(parent: nil, name: Array("/".utf8CString), identity: FileIdentity(status))
        return FoundFile(directory: root, name: Array("\(id)".utf8CString), status: status)
    }

    static func plan(_ candidates: [FoundFile], _ limits: TrimLimits) -> TrimPlan {
        let bytes = candidates.reduce(0) { $0 + $1.size }
        return TrimPlan(candidates: candidates, count: candidates.count, bytes: bytes, limits: limits, now: now)
    }

    @Test func withoutLimitsNothingIsDeleted() {
        let plan = Self.plan(Self.files([(1, 500), (2, 900)]), TrimLimits())

        #expect(plan.removedNumbers == [])
        #expect(plan.isSufficient)
    }

    @Test func sizeLimitSelectsOnlyAsManyAsNeeded() {
        let files = Self.files([(10, 1), (10, 30), (10, 20), (10, 2)])

        #expect(Self.plan(files, TrimLimits(sizeMax: 40)).removedNumbers == [])
        #expect(Self.plan(files, TrimLimits(sizeMax: 39)).removedNumbers == [1])
        #expect(Self.plan(files, TrimLimits(sizeMax: 20)).removedNumbers == [1, 2])
        #expect(Self.plan(files, TrimLimits(sizeMax: 9)).removedNumbers == [1, 2, 3, 0])
    }

    @Test func fileOfExactlyTheAgeLimitIsKept() {
        let files = Self.files([(1, 60), (1, 61), (1, 59)])

        #expect(Self.plan(files, TrimLimits(ageMax: .seconds(60))).removedNumbers == [1])
    }

    @Test func countLimitSelectsTheOldest() {
        let files = Self.files([(1, 1), (1, 3), (1, 2)])

        #expect(Self.plan(files, TrimLimits(filesMax: 1)).removedNumbers == [1, 2])
        #expect(Self.plan(files, TrimLimits(filesMax: 0)).removedNumbers == [1, 2, 0])
    }

    @Test func allLimitsApplyTogether() {
        let files = Self.files([(10, 1), (50, 2), (10, 3), (1, 99)])

        let plan = Self.plan(files, TrimLimits(sizeMax: 60, ageMax: .seconds(50), filesMax: 3))

        #expect(plan.removedNumbers == [3, 2])
    }

    @Test func fileFromTheFutureIsDeletedLast() {
        let files = Self.files([(1, -100), (1, 5)])

        #expect(Self.plan(files, TrimLimits(ageMax: .zero)).removedNumbers == [1])
        #expect(Self.plan(files, TrimLimits(filesMax: 1)).removedNumbers == [1])
    }

    @Test func extremeTimesAreCompared() {
        let files = [Int64.min, .max, 0].enumerated().map { id, seconds in
            Self.candidate(id, inode: UInt64(id), size: .max, modified: seconds)
        }

        let plan = TrimPlan(
            candidates: files, count: 3, bytes: .max, limits: TrimLimits(ageMax: .seconds(1)), now: .seconds(Int64.max))

        #expect(plan.removedNumbers == [0, 2])
    }

    @Test func hardLinkedFileIsFreedWithItsLastName() {
        let files = [10, 10, 5].enumerated().map { id, age in
            Self.candidate(id, inode: age == 10 ? 7 : 8, size: 100, modified: 1000 - Int64(age))
        }

        let plan = TrimPlan(
            candidates: files, count: 3, bytes: 200, limits: TrimLimits(sizeMax: 100), now: Self.now)

        #expect(plan.removedNumbers == [0, 1])
    }

    @Test func sameInodeOnAnotherDeviceIsAnotherFile() {
        let files = [10, 9].enumerated().map { id, age in
            Self.candidate(id, device: UInt64(id), inode: 7, size: 100, modified: 1000 - Int64(age))
        }

        #expect(Self.plan(files, TrimLimits(sizeMax: 100)).removedNumbers == [0])
    }

    @Test func tooFewCandidatesAreNotSufficient() {
        let files = Self.files([(10, 9)])

        let bySize = TrimPlan(candidates: files, count: 3, bytes: 30, limits: TrimLimits(sizeMax: 5), now: Self.now)
        let byAge = TrimPlan(
            candidates: files, count: 3, bytes: 30, limits: TrimLimits(ageMax: .seconds(1)), now: Self.now)

        #expect(bySize.removedNumbers == [0] && !bySize.isSufficient)
        #expect(byAge.removedNumbers == [0] && !byAge.isSufficient)
    }

    @Test(arguments: 1...200)
    func remainingFilesAreYoungerAndWithinTheLimits(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let files = Self.files(
            (0..<Int.random(in: 0...40, using: &random)).map { _ in
                (UInt64.random(in: 0...100, using: &random), Int64.random(in: -5...50, using: &random))
            })
        let limits = TrimLimits(
            sizeMax: Bool.random(using: &random) ? UInt64.random(in: 0...2000, using: &random) : nil,
            ageMax: Bool.random(using: &random) ? .seconds(Int64.random(in: 0...40, using: &random)) : nil,
            filesMax: Bool.random(using: &random) ? Int.random(in: 0...40, using: &random) : nil)

        let plan = Self.plan(files, limits)

        let gone = Set(plan.removedNumbers)
        let kept = files.indices.filter { !gone.contains($0) }.map { files[$0] }
        func allowed(_ files: [FoundFile]) -> Bool {
            files.reduce(0) { $0 + $1.size } <= limits.sizeMax ?? .max
                && files.count <= limits.filesMax ?? .max
                && files.allSatisfy { Self.now - $0.modified <= limits.ageMax ?? .seconds(Int64.max) }
        }
        #expect(gone.count == plan.removals.count)
        #expect(plan.isSufficient)
        #expect(allowed(kept))
        #expect(plan.removals.map(\.modified).adjacentPairsAreSorted)
        if let last = plan.removals.last {
            #expect(kept.allSatisfy { $0.modified >= last.modified })
            #expect(!allowed(kept + [last]))
        }
    }
}

nonisolated extension Array where Element: Comparable {
    var adjacentPairsAreSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

nonisolated extension TrimPlan {
    /// The names of the files to delete, which are numbers in these tests.
    var removedNumbers: [Int] {
        removals.compactMap { Int(String(decoding: $0.name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)) }
    }
}
