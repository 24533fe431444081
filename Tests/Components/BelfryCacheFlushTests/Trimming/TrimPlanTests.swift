// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryCacheFlush
@testable import BelfryConfiguration
import TestSupport
import Testing

@Suite nonisolated struct TrimPlanTests {
    static let now = Duration.seconds(1000)

    /// Files with the inodes 0, 1, 2… and the given sizes and ages in seconds.
    static func files(_ files: [(size: UInt64, age: Int64)]) -> [FileAge] {
        files.enumerated().map { age(inode: UInt64($0), $1.size, used: 1000 - $1.age) }
    }

    static func age(inode: UInt64, _ size: UInt64, used: Int64) -> FileAge {
        FileAge(usedNsec: used * 1_000_000_000, inode: inode, space: size)
    }

    static func oldest(_ ages: [FileAge], capacity: Int = 1000) -> OldestFiles {
        var oldest = OldestFiles(capacity: capacity)
        for age in ages {
            oldest.add(age, links: 1, identity: FileIdentity(device: 1, inode: age.usedNsec.magnitude))
        }
        return oldest
    }

    /// The indices of the files to delete.
    static func removals(
        _ ages: [FileAge], _ limits: CacheLimits, shortfall: UInt64 = 0
    ) -> [Int] {
        var oldest = oldest(ages)
        let plan = TrimPlan(&oldest, limits: limits, shortfall: shortfall, now: now)
        #expect(plan.isSufficient)
        let removed = ages.indices.filter { index in plan.last.map { ages[index] <= $0 } ?? false }
        #expect(removed.count == plan.count)
        return removed
    }

    @Test func shortfallSelectsOnlyAsManyAsNeeded() {
        let files = Self.files([(10, 1), (10, 30), (10, 20)])

        #expect(Self.removals(files, CacheLimits(), shortfall: 1) == [1])
        #expect(Self.removals(files, CacheLimits(), shortfall: 11) == [1, 2])
    }

    @Test func shortfallBeyondTheCacheSelectsAllFilesAndReachesNoLimit() {
        var oldest = Self.oldest(Self.files([(10, 1)]))

        let plan = TrimPlan(&oldest, limits: CacheLimits(), shortfall: 11, now: Self.now)

        #expect(plan.count == 1 && plan.isSufficient)
    }

    @Test func fileFromTheFutureIsDeletedLast() {
        let files = Self.files([(1, -100), (1, 5)])

        #expect(Self.removals(files, CacheLimits(ageMax: .zero)) == [1])
        #expect(Self.removals(files, CacheLimits(filesMax: 1)) == [1])
    }

    @Test func extremeTimesAreCompared() {
        var oldest = Self.oldest(
            [.min, .max, 0].enumerated().map { FileAge(usedNsec: $1, inode: UInt64($0), space: .max) })

        let plan = TrimPlan(&oldest, limits: CacheLimits(ageMax: .seconds(1)), now: .seconds(Int64.max))

        #expect(plan.count == 2 && plan.last?.usedNsec == 0)
    }

    @Test func namesOfOneFileAreDeletedTogetherAndCountOnce() {
        var oldest = OldestFiles(capacity: 10)
        for (inode, used) in [(7, 10), (7, 10), (8, 20)] as [(UInt64, Int64)] {
            oldest.add(
                Self.age(inode: inode, 100, used: used), links: inode == 7 ? 2 : 1,
                identity: FileIdentity(device: 1, inode: inode))
        }

        let plan = TrimPlan(&oldest, limits: CacheLimits(sizeMax: 199), now: Self.now)

        #expect(plan.count == 2 && plan.last?.usedNsec == 10_000_000_000)
    }

    @Test func onlyTheOldestAreRemembered() {
        let ages = Self.files((1...100).map { (1, Int64($0 * 37 % 101)) })
        var oldest = Self.oldest(ages, capacity: 8)

        let plan = TrimPlan(&oldest, limits: CacheLimits(filesMax: 97), now: Self.now)

        #expect(plan.count == 3 && plan.isSufficient)
        #expect(plan.last == ages.sorted()[2])
    }

    @Test func tooFewAgesAreNotSufficient() {
        let ages = Self.files((1...30).map { (10, Int64($0)) })
        var (bySize, byAge) = (Self.oldest(ages, capacity: 4), Self.oldest(ages, capacity: 4))

        #expect(!TrimPlan(&bySize, limits: CacheLimits(sizeMax: 5), now: Self.now).isSufficient)
        #expect(!TrimPlan(&byAge, limits: CacheLimits(ageMax: .seconds(1)), now: Self.now).isSufficient)
    }

    @Test(arguments: 1...200)
    func remainingFilesAreYoungerAndWithinTheLimits(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let files = Self.files(
            (0..<Int.random(in: 0...40, using: &random)).map { _ in
                (UInt64.random(in: 0...100, using: &random), Int64.random(in: -5...50, using: &random))
            })
        let limits = CacheLimits(
            sizeMax: Bool.random(using: &random) ? UInt64.random(in: 0...2000, using: &random) : nil,
            ageMax: Bool.random(using: &random) ? .seconds(Int64.random(in: 0...40, using: &random)) : nil,
            filesMax: Bool.random(using: &random) ? Int.random(in: 0...40, using: &random) : nil)

        let gone = Set(Self.removals(files, limits))

        let kept = files.indices.filter { !gone.contains($0) }.map { files[$0] }
        func allowed(_ files: [FileAge]) -> Bool {
            files.reduce(0) { $0 + $1.space } <= limits.sizeMax ?? .max
                && files.count <= limits.filesMax ?? .max
                && files.allSatisfy { file in
                    limits.ageMax.map { Self.now - .nanoseconds(file.usedNsec) <= $0 } ?? true
                }
        }
        #expect(allowed(kept))
        if let last = gone.map({ files[$0] }).max() {
            #expect(kept.allSatisfy { $0 > last })
            #expect(!allowed(kept + [last]))
        }
    }
}
