// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark

// Prints, as JSON, the nanoseconds of a post for each of 1, 10 and 100 observers, and those of one more observer among
// 100,000: the medians of rounds in which the subjects take turns.
let rounds = 15, warmUp = 2
for observers in [1, 10, 100] {
    let subjects: [any Subject] = [
        try MediatorSubject(observers: observers), FoundationSubject(observers: observers),
        ClosureSubject(observers: observers),
    ]
    let posts = 200_000 / (observers + 9)
    measure("post", observers, subjects, name: \.name) { subject in
        subject.post(posts)
        precondition(benchmark_take_calls() == posts * observers, "an observer was not called")
        return posts * observers
    }
}

let crowd = 100_000
let subjects: [any ChangingSubject] = [try MediatorSubject(observers: crowd), FoundationSubject(observers: crowd)]
measure("addAndRemove", crowd, subjects, name: \.name) { subject in
    let changes = subject is FoundationSubject ? 20 : 20_000
    for _ in 0..<changes { subject.addAndRemove() }
    return changes
}

/// Measures `body`, which returns how often it did the work.
func measure<S>(_ work: String, _ observers: Int, _ subjects: [S], name: (S) -> String, _ body: (S) -> Int) {
    var times = subjects.map { _ in [Double]() }
    for round in 0..<warmUp + rounds {
        for (index, subject) in subjects.enumerated() {
            let before = benchmark_now()
            let count = body(subject)
            let elapsed = Double(benchmark_now() - before)
            if round >= warmUp { times[index].append(elapsed / Double(count)) }
        }
    }
    for (subject, times) in zip(subjects, times) {
        let median = times.sorted()[rounds / 2]
        print(
            "{\"work\": \"\(work)\", \"observers\": \(observers), \"subject\": \"\(name(subject))\", \"ns\": \(median)}"
        )
    }
}
