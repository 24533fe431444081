// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import TestSupport
import Testing

@Suite nonisolated struct TrimPlanTests {
    static let now = Duration.seconds(1000)

    /// Candidates with ids 0, 1, 2… and the given sizes and ages.
    static func files(_ files: [(size: UInt64, age: Int64)]) -> [TrimPlan.Candidate] {
        files.enumerated().map { id, file in
            candidate(id, inode: UInt64(id), size: file.size, modified: now - .seconds(file.age))
        }
    }

    static func candidate(
        _ id: Int, device: UInt64 = 1, inode: UInt64, size: UInt64, modified: Duration
    ) -> TrimPlan.Candidate {
        let identity = FileIdentity(device: device, inode: inode)
        return TrimPlan.Candidate(id: id, identity: identity, size: size, modified: modified)
    }

    static func plan(_ candidates: [TrimPlan.Candidate], _ limits: TrimLimits) -> TrimPlan {
        let bytes = candidates.reduce(0) { $0 + $1.size }
        return TrimPlan(candidates: candidates, files: candidates.count, bytes: bytes, limits: limits, now: now)
    }

    @Test func withoutLimitsNothingIsDeleted() {
        let plan = Self.plan(Self.files([(1, 500), (2, 900)]), TrimLimits())

        #expect(plan.removals == [])
        #expect(plan.isSufficient)
    }

    @Test func sizeLimitSelectsOnlyAsManyAsNeeded() {
        let files = Self.files([(10, 1), (10, 30), (10, 20), (10, 2)])

        #expect(Self.plan(files, TrimLimits(sizeMax: 40)).removals == [])
        #expect(Self.plan(files, TrimLimits(sizeMax: 39)).removals == [1])
        #expect(Self.plan(files, TrimLimits(sizeMax: 20)).removals == [1, 2])
        #expect(Self.plan(files, TrimLimits(sizeMax: 9)).removals == [1, 2, 3, 0])
    }

    @Test func fileOfExactlyTheAgeLimitIsKept() {
        let files = Self.files([(1, 60), (1, 61), (1, 59)])

        #expect(Self.plan(files, TrimLimits(ageMax: .seconds(60))).removals == [1])
    }

    @Test func countLimitSelectsTheOldest() {
        let files = Self.files([(1, 1), (1, 3), (1, 2)])

        #expect(Self.plan(files, TrimLimits(filesMax: 1)).removals == [1, 2])
        #expect(Self.plan(files, TrimLimits(filesMax: 0)).removals == [1, 2, 0])
    }

    @Test func allLimitsApplyTogether() {
        let files = Self.files([(10, 1), (50, 2), (10, 3), (1, 99)])

        let plan = Self.plan(files, TrimLimits(sizeMax: 60, ageMax: .seconds(50), filesMax: 3))

        #expect(plan.removals == [3, 2])
    }

    @Test func fileFromTheFutureIsDeletedLast() {
        let files = Self.files([(1, -100), (1, 5)])

        #expect(Self.plan(files, TrimLimits(ageMax: .zero)).removals == [1])
        #expect(Self.plan(files, TrimLimits(filesMax: 1)).removals == [1])
    }

    @Test func extremeTimesAreCompared() {
        let files = [Int64.min, .max, 0].enumerated().map { id, seconds in
            Self.candidate(id, inode: UInt64(id), size: .max, modified: .seconds(seconds))
        }

        let plan = TrimPlan(
            candidates: files, files: 3, bytes: .max, limits: TrimLimits(ageMax: .seconds(1)), now: .seconds(Int64.max))

        #expect(plan.removals == [0, 2])
    }

    @Test func hardLinkedFileIsFreedWithItsLastName() {
        let files = [10, 10, 5].enumerated().map { id, age in
            Self.candidate(id, inode: age == 10 ? 7 : 8, size: 100, modified: Self.now - .seconds(age))
        }

        let plan = TrimPlan(
            candidates: files, files: 3, bytes: 200, limits: TrimLimits(sizeMax: 100), now: Self.now)

        #expect(plan.removals == [0, 1])
    }

    @Test func sameInodeOnAnotherDeviceIsAnotherFile() {
        let files = [10, 9].enumerated().map { id, age in
            Self.candidate(id, device: UInt64(id), inode: 7, size: 100, modified: Self.now - .seconds(age))
        }

        #expect(Self.plan(files, TrimLimits(sizeMax: 100)).removals == [0])
    }

    @Test func tooFewCandidatesAreNotSufficient() {
        let files = Self.files([(10, 9)])

        let bySize = TrimPlan(candidates: files, files: 3, bytes: 30, limits: TrimLimits(sizeMax: 5), now: Self.now)
        let byAge = TrimPlan(
            candidates: files, files: 3, bytes: 30, limits: TrimLimits(ageMax: .seconds(1)), now: Self.now)

        #expect(bySize.removals == [0] && !bySize.isSufficient)
        #expect(byAge.removals == [0] && !byAge.isSufficient)
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

        let gone = Set(plan.removals)
        let kept = files.filter { !gone.contains($0.id) }
        func allowed(_ files: [TrimPlan.Candidate]) -> Bool {
            files.reduce(0) { $0 + $1.size } <= limits.sizeMax ?? .max
                && files.count <= limits.filesMax ?? .max
                && files.allSatisfy { Self.now - $0.modified <= limits.ageMax ?? .seconds(Int64.max) }
        }
        #expect(gone.count == plan.removals.count)
        #expect(plan.isSufficient)
        #expect(allowed(kept))
        #expect(plan.removals.map { files[$0].modified }.adjacentPairsAreSorted)
        if let last = plan.removals.last {
            #expect(kept.allSatisfy { $0.modified >= files[last].modified })
            #expect(!allowed(kept + [files[last]]))
        }
    }
}

nonisolated extension Array where Element: Comparable {
    var adjacentPairsAreSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
