// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark

// Prints what a post to 1, 10 and 100 observers costs, and one observer more among 100,000: JSON, a line for each.
let repetitions = 15
for observers in [1, 10, 100] {
    let subjects: [any ObserverSubject] = [
        try MediatorSubject(observers: observers), FoundationSubject(observers: observers),
        ClosureSubject(observers: observers), WrappedClosureSubject(observers: observers),
    ]
    let posts = 200_000 / (observers + 9)
    measure(subjects) { subject in
        subject.post(posts)
        precondition(benchmark_take_calls() == posts * observers, "an observer was not called")
        return posts * observers
    } print: {
        "{\"work\": \"post\", \"observers\": \(observers), \"subject\": \"\($0)\", \"ns\": \($1)}"
    }
}

let crowd = 100_000
let crowds: [any ObserverSubject] = [try MediatorSubject(observers: crowd), FoundationSubject(observers: crowd)]
measure(crowds) { subject in
    let changes = subject.name == "Foundation" ? 20 : 20_000
    for _ in 0..<changes { subject.addAndRemove() }
    return changes
} print: {
    "{\"work\": \"addAndRemove\", \"observers\": \(crowd), \"subject\": \"\($0)\", \"ns\": \($1)}"
}

/// Runs `body` with each subject in turn, and prints the median of nanoseconds for one of what it counts.
func measure(
    _ subjects: [any ObserverSubject], _ body: (any ObserverSubject) -> Int, print line: (String, Double) -> String
) {
    var times = subjects.map { _ in [Double]() }
    for repetition in -2..<repetitions {
        for (index, subject) in subjects.enumerated() {
            let before = benchmark_now()
            let count = body(subject)
            let elapsed = Double(benchmark_now() - before)
            if repetition >= 0 { times[index].append(elapsed / Double(count)) }
        }
    }
    for (index, subject) in subjects.enumerated() {
        print(line(subject.name, times[index].sorted()[repetitions / 2]))
    }
}
