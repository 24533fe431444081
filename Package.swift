// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

/// Every Swift target of ours: Swift 6 mode, warnings are errors, imports are said where they are used.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// One thread, one loop, one actor: what is not said to be elsewhere lives on the main actor.
let onMain: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]

// Products that several targets use.
let swiftLog: Target.Dependency = .product(name: "Logging", package: "swift-log")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A program that tests run.
func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Probes/\(name)", swiftSettings: onMain)
}

/// The tests of a target.
func tests(_ target: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: "\(target)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: onMain)
}

let package = Package(
    name: "belfry",
    products: [
        .library(name: "Belfry", targets: ["Belfry"]),
        .library(name: "BelfryArgumentParser", targets: ["BelfryArgumentParser"]),
        .library(name: "BelfryCacheFlush", targets: ["BelfryCacheFlush"]),
        .library(name: "BelfryLogging", targets: ["BelfryLogging"]),
        .library(name: "BelfryMetrics", targets: ["BelfryMetrics"]),
        .library(name: "BelfryServiceLifecycle", targets: ["BelfryServiceLifecycle"]),
        .library(name: "BelfrySocket", targets: ["BelfrySocket"]),
        .library(name: "Lifecycle", targets: ["Lifecycle"]),
        .library(name: "LifecycleTesting", targets: ["LifecycleTesting"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .executable(name: "belfryd", targets: ["belfryd"]),
        .executable(name: "belfryctl", targets: ["belfryctl"]),
        .executable(name: "belfry-listener", targets: ["belfry-listener"]),
        .executable(name: "belfry-fleetd", targets: ["belfry-fleetd"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // From the bottom up: a target may use those above it in this list, as far as it says so.
        .target(
            name: "CBelfry",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("systemd")]
        ),
        .target(name: "BelfryLinux", dependencies: ["CBelfry"], swiftSettings: onMain),
        .target(name: "BelfryJSON", dependencies: ["BelfryLinux", "CBelfry"], swiftSettings: onMain),
        .target(name: "Lifecycle", dependencies: ["BelfryJSON"], swiftSettings: onMain),
        .target(name: "LifecycleTesting", dependencies: ["Lifecycle"], swiftSettings: onMain),
        .target(
            name: "BelfryEventLoop", dependencies: ["BelfryLinux", "CBelfry"], swiftSettings: onMain,
            linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "Varlink", dependencies: ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "CBelfry"],
            swiftSettings: onMain),
        .target(
            name: "BelfrySystemd", dependencies: ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "CBelfry"],
            swiftSettings: onMain),
        .target(
            name: "BelfryConfiguration", dependencies: ["BelfryJSON", "BelfryLinux", "CBelfry"], swiftSettings: onMain),
        .target(
            name: "BelfrySources",
            dependencies: ["BelfryEventLoop", "BelfryLinux", "BelfrySystemd", "CBelfry", "Lifecycle"],
            swiftSettings: onMain),
        .target(
            name: "BelfryListeners",
            dependencies: ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "BelfrySystemd", "CBelfry", "Lifecycle"],
            swiftSettings: onMain),
        .target(
            name: "Belfry",
            dependencies: [
                "BelfryConfiguration", "BelfryEventLoop", "BelfryLinux", "BelfryListeners", "BelfrySources",
                "BelfrySystemd", "CBelfry", "Lifecycle",
            ], swiftSettings: onMain),
        // What a service has only when it names it, and links only then.
        .target(
            name: "BelfryMetricRegistry", dependencies: ["BelfryJSON", "BelfryLinux"], swiftSettings: strict),
        .target(
            name: "BelfrySocket",
            dependencies: [
                "Belfry", "BelfryConfiguration", "BelfryEventLoop", "BelfryJSON", "BelfryLinux", "BelfryListeners",
                "BelfryMetricRegistry", "BelfrySystemd", "CBelfry", "Lifecycle", "Varlink",
            ], swiftSettings: onMain),
        .target(
            name: "BelfryMetrics", dependencies: ["BelfryMetricRegistry", coreMetrics], swiftSettings: strict),
        .target(
            name: "BelfryCacheFlush",
            dependencies: [
                "Belfry", "BelfryConfiguration", "BelfryEventLoop", "BelfryLinux", "BelfryListeners", "BelfrySystemd",
                "CBelfry", "Lifecycle",
            ], swiftSettings: onMain),
        .target(
            name: "BelfryServiceLifecycle",
            dependencies: ["Belfry", "Lifecycle", swiftLog, serviceLifecycle], swiftSettings: onMain),
        .target(
            name: "BelfryLogging",
            dependencies: [
                "Belfry", "BelfryEventLoop", "BelfryJSON", "BelfryLinux", "BelfryListeners", "BelfrySystemd", "CBelfry",
                swiftLog,
            ], swiftSettings: onMain),
        .target(
            name: "BelfryArgumentParser", dependencies: ["Belfry", argumentParser], swiftSettings: strict),
        // What only belfry-fleetd links.
        .target(name: "CBelfryFleet", cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "BelfryMQTT", dependencies: ["BelfryEventLoop", "BelfryLinux", "CBelfryFleet"], swiftSettings: onMain),
        .target(
            name: "BelfryLease", dependencies: ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "CBelfryFleet"],
            swiftSettings: onMain),
        .executableTarget(
            name: "belfryd", dependencies: ["Belfry", "BelfryCacheFlush", "BelfryConfiguration", "BelfrySocket"],
            swiftSettings: onMain),
        .target(
            name: "BelfryClient",
            dependencies: ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "Varlink"], swiftSettings: onMain),
        .executableTarget(
            name: "belfry-listener",
            dependencies: [
                "BelfryClient", "BelfryConfiguration", "BelfryEventLoop", "BelfryJSON", "BelfryLinux", "BelfrySystemd",
                "CBelfry",
            ], swiftSettings: onMain),
        .executableTarget(
            name: "belfry-fleetd",
            dependencies: [
                "Belfry", "BelfryClient", "BelfryConfiguration", "BelfryEventLoop", "BelfryJSON", "BelfryLease",
                "BelfryLinux", "BelfryListeners", "BelfryLogging", "BelfryMQTT", "BelfrySystemd", "CBelfry",
                "Lifecycle",
                "Varlink", swiftLog,
            ], swiftSettings: onMain),
        // Not on the main actor by default: ArgumentParser's protocols are for types that belong to no actor.
        .executableTarget(
            name: "belfryctl",
            dependencies: [
                "BelfryClient", "BelfryConfiguration", "BelfryEventLoop", "BelfryLinux", "BelfrySystemd", "CBelfry",
                "Varlink", argumentParser,
            ], swiftSettings: strict),

        // Tests, and the programs that they run.
        .target(
            name: "TestSupport", dependencies: ["BelfryEventLoop", "BelfryLinux", "BelfrySystemd", "CBelfry"],
            path: "Tests/TestSupport", swiftSettings: onMain),
        probe(
            "ServiceProbe", ["Belfry", "BelfryEventLoop", "BelfryLinux", "BelfrySocket", "BelfrySystemd", "Lifecycle"]),
        // Examples that are also tested on booted systemd. Examples has the others, in a package of their own.
        .executableTarget(
            name: "EchoServer", dependencies: ["Belfry"], path: "Examples/EchoServer",
            exclude: ["README.md", "echo-server.service", "echo-server.socket"], swiftSettings: onMain),
        .executableTarget(
            name: "Worker",
            dependencies: ["Belfry", "BelfryLogging", "BelfryMetrics", "BelfrySocket", coreMetrics, swiftLog],
            path: "Examples/Worker/Sources", swiftSettings: onMain),
        probe("AsyncMainProbe", ["Belfry"]),
        probe("SettingsProbe", ["Belfry", "BelfryLinux", "BelfrySocket"]),
        .testTarget(
            name: "BelfryArgumentParserTests",
            dependencies: ["Belfry", "BelfryArgumentParser", argumentParser], swiftSettings: strict),
        .executableTarget(
            name: "ServiceGroupProbe",
            dependencies: [
                "Belfry", "BelfryServiceLifecycle", "BelfrySocket", "Lifecycle", swiftLog, serviceLifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], path: "Tests/Probes/ServiceGroupProbe", swiftSettings: onMain),
        .testTarget(
            name: "BelfryServiceLifecycleTests",
            dependencies: [
                "BelfryServiceLifecycle", "Lifecycle", "LifecycleTesting", "ServiceGroupProbe", "TestSupport", swiftLog,
                serviceLifecycle,
            ], swiftSettings: onMain),
        probe("LoggingProbe", ["Belfry", "BelfryLogging", "BelfrySocket", swiftLog]),
        .testTarget(
            name: "BelfryLoggingTests",
            dependencies: [
                "BelfryEventLoop", "BelfryLinux", "BelfryListeners", "BelfryLogging", "BelfrySystemd", "Lifecycle",
                "LoggingProbe", "TestSupport", swiftLog,
            ], swiftSettings: onMain),
        probe("MetricsProbe", ["Belfry", "BelfryMetrics", "BelfrySocket", coreMetrics]),
        .testTarget(
            name: "BelfryMetricRegistryTests", dependencies: ["BelfryMetricRegistry"], swiftSettings: strict),
        .testTarget(
            name: "BelfryMetricsTests",
            dependencies: ["BelfryMetricRegistry", "BelfryMetrics", "MetricsProbe", "TestSupport", coreMetrics],
            exclude: ["open_metrics.py"], swiftSettings: strict),
        .testTarget(
            name: "BelfryTests",
            dependencies: [
                "AsyncMainProbe", "Belfry", "BelfryConfiguration", "BelfrySystemd", "belfryctl", "belfryd", "CBelfry",
                "Lifecycle", "LifecycleTesting", "ServiceProbe", "SettingsProbe", "TestSupport",
            ], swiftSettings: onMain),
        probe("EventLoopProbe", ["BelfryEventLoop", "CBelfry"]),
        probe("VarlinkProbe", ["BelfryEventLoop", "BelfryLinux", "CBelfry", "Varlink"]),
        probe("LifecycleServiceProbe", ["BelfryEventLoop", "BelfrySocket", "CBelfry", "Varlink"]),
        tests("BelfryConfiguration", ["BelfryConfiguration", "BelfryLinux", "TestSupport"]),
        tests("BelfryLease", ["BelfryLease", "TestSupport"], exclude: ["lease_server.py"]),
        tests("BelfryMQTT", ["BelfryEventLoop", "BelfryLinux", "BelfryMQTT", "TestSupport"]),
        tests(
            "BelfryClient",
            ["BelfryClient", "BelfryEventLoop", "BelfryJSON", "BelfryLinux", "CBelfry", "TestSupport", "Varlink"]),
        .testTarget(
            name: "belfry-listenerTests",
            dependencies: [
                "belfry-listener", "belfryctl", "belfryd", "BelfryConfiguration", "BelfryEventLoop", "BelfryJSON",
                "BelfryLinux", "TestSupport",
            ], swiftSettings: onMain),
        tests(
            "belfry-fleetd",
            [
                "belfry-fleetd", "belfryctl", "BelfryConfiguration", "belfryd", "BelfryEventLoop", "BelfryJSON",
                "BelfryLease", "BelfryLinux", "TestSupport", "Varlink",
            ]),
        .testTarget(
            name: "belfryctlTests",
            dependencies: [
                "BelfryClient", "belfryctl", "BelfryLinux", "BelfrySystemd", "CBelfry", "LifecycleServiceProbe",
                "TestSupport", "Varlink", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: onMain),
        tests("BelfryEventLoop", ["BelfryEventLoop", "BelfryLinux", "CBelfry", "EventLoopProbe", "TestSupport"]),
        .testTarget(
            name: "BelfryListenersTests",
            dependencies: [
                "BelfryEventLoop", "BelfryLinux", "BelfryListeners", "BelfrySystemd", "CBelfry", "Lifecycle",
                "LifecycleTesting", "TestSupport", "Varlink",
            ], swiftSettings: onMain),
        .testTarget(
            name: "BelfrySocketTests",
            dependencies: [
                "BelfryConfiguration", "BelfryEventLoop", "BelfryLinux", "BelfryListeners", "BelfrySocket",
                "BelfryMetricRegistry", "BelfrySystemd", "CBelfry", "Lifecycle", "LifecycleTesting", "TestSupport",
                "Varlink",
            ], swiftSettings: onMain),
        .testTarget(
            name: "BelfryCacheFlushTests",
            dependencies: [
                "BelfryCacheFlush", "BelfryConfiguration", "BelfryListeners", "BelfrySystemd", "Lifecycle",
                "LifecycleTesting", "TestSupport",
            ], swiftSettings: onMain),
        .testTarget(
            name: "BelfrySourcesTests",
            dependencies: [
                "BelfryEventLoop", "BelfryLinux", "BelfrySources", "BelfrySystemd", "CBelfry", "Lifecycle",
                "LifecycleTesting", "TestSupport",
            ], swiftSettings: onMain),
        .target(
            name: "MediatorModel", dependencies: ["Lifecycle", "LifecycleTesting", "TestSupport"],
            path: "Tests/MediatorModel", swiftSettings: onMain),
        probe("MediatorModelProbe", ["MediatorModel"]),
        .target(
            name: "CAllocations", path: "Tests/Probes/CAllocations", cSettings: [.treatAllWarnings(as: .error)]),
        probe("AllocationProbe", ["BelfryEventLoop", "BelfrySources", "CAllocations", "Lifecycle"]),
        // The Swift code of README.md, docs and the DocC catalogues.
        .executableTarget(
            name: "DocumentationSnippets",
            dependencies: [
                "Belfry", "BelfryCacheFlush", "BelfryLogging", "BelfryMetrics", "BelfrySocket", "Varlink", swiftLog,
                .product(name: "Metrics", package: "swift-metrics"),
            ], path: "Tests/DocumentationSnippets", swiftSettings: onMain),
        .testTarget(
            name: "LifecycleTests",
            dependencies: [
                "AllocationProbe", "DocumentationSnippets", "Lifecycle", "LifecycleTesting", "MediatorModel",
                "TestSupport",
            ], swiftSettings: onMain),
        tests(
            "BelfrySystemd",
            ["BelfryEventLoop", "BelfryJSON", "BelfryLinux", "BelfrySystemd", "CBelfry", "TestSupport"]),
        tests("BelfryJSON", ["BelfryJSON", "TestSupport"]),
        tests("BelfryLinux", ["BelfryLinux"]),
        tests("Varlink", ["BelfryEventLoop", "BelfryLinux", "CBelfry", "TestSupport", "Varlink", "VarlinkProbe"]),
    ]
)

// The fuzzer wants libFuzzer, which only `make fuzz` links.
if Context.environment["BELFRY_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "BelfryConfiguration", "BelfryLinux", "BelfrySocket", "BelfrySources", "Lifecycle", "Varlink",
            ], path: "Tests/Fuzzing/Fuzzer", swiftSettings: onMain))
}
