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

let package = Package(
    name: "belfry",
    products: [
        .library(name: "Belfry", targets: ["Belfry"]),
        .library(name: "BelfryCacheFlush", targets: ["BelfryCacheFlush"]),
        .library(name: "BelfryServiceLifecycle", targets: ["BelfryServiceLifecycle"]),
        .library(name: "BelfrySocket", targets: ["BelfrySocket"]),
        .library(name: "Lifecycle", targets: ["Lifecycle"]),
        .library(name: "LifecycleTesting", targets: ["LifecycleTesting"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .executable(name: "belfryd", targets: ["belfryd"]),
        .executable(name: "belfryctl", targets: ["belfryctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The floors of the house, from the ground up: each may use those above it in this list, as far as it says so.
        .target(
            name: "CSystemd",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("systemd")]
        ),
        .target(name: "SystemErrors", dependencies: ["CSystemd"], swiftSettings: onMain),
        .target(name: "BelfryJSON", dependencies: ["CSystemd"], swiftSettings: onMain),
        .target(name: "Lifecycle", dependencies: ["BelfryJSON"], swiftSettings: onMain),
        .target(name: "LifecycleTesting", dependencies: ["Lifecycle"], swiftSettings: onMain),
        .target(
            name: "EventLoop", dependencies: ["CSystemd", "SystemErrors"], swiftSettings: onMain,
            linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "Varlink", dependencies: ["CSystemd", "EventLoop", "SystemErrors", "BelfryJSON"],
            swiftSettings: onMain),
        .target(
            name: "ServiceManager", dependencies: ["CSystemd", "EventLoop", "SystemErrors"], swiftSettings: onMain),
        .target(
            name: "BelfryConfiguration", dependencies: ["BelfryJSON", "CSystemd"], swiftSettings: onMain),
        .target(name: "CacheTrimming", dependencies: ["CSystemd", "SystemErrors"], swiftSettings: onMain),
        .target(
            name: "LifecycleJournal", dependencies: ["BelfryJSON", "CSystemd", "SystemErrors", "Varlink"],
            swiftSettings: onMain),
        .target(
            name: "LifecycleSources",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "ServiceManager", "SystemErrors",
            ], swiftSettings: onMain),
        .target(
            name: "LifecycleListeners",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "ServiceManager", "SystemErrors",
                "BelfryJSON",
            ], swiftSettings: onMain),
        .target(
            name: "LifecycleSocket",
            dependencies: [
                "BelfryConfiguration", "BelfryJSON", "CSystemd", "EventLoop", "Lifecycle", "LifecycleJournal",
                "LifecycleListeners", "ServiceManager", "SystemErrors", "Varlink",
            ], swiftSettings: onMain),
        .target(
            name: "LifecycleCacheFlush",
            dependencies: [
                "BelfryConfiguration", "CacheTrimming", "EventLoop", "Lifecycle", "LifecycleListeners",
                "ServiceManager",
            ], swiftSettings: onMain),
        .target(
            name: "Belfry",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "LifecycleListeners", "LifecycleSources",
                "ServiceManager", "SystemErrors",
            ], swiftSettings: onMain),
        // What a service has only when it names it, and links only then.
        .target(
            name: "BelfrySocket",
            dependencies: [
                "Belfry", "BelfryConfiguration", "Lifecycle", "LifecycleJournal", "LifecycleListeners",
                "LifecycleSocket", "ServiceManager", "Varlink",
            ], swiftSettings: onMain),
        .target(
            name: "BelfryCacheFlush", dependencies: ["Belfry", "Lifecycle", "LifecycleCacheFlush"],
            swiftSettings: onMain),
        .target(
            name: "BelfryServiceLifecycle",
            dependencies: [
                "Belfry", "Lifecycle", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: onMain),
        .executableTarget(
            name: "belfryd", dependencies: ["Belfry", "BelfryCacheFlush", "BelfryConfiguration", "BelfrySocket"],
            swiftSettings: onMain),
        .target(
            name: "BelfryControl",
            dependencies: [
                "BelfryConfiguration", "BelfryJSON", "CSystemd", "EventLoop", "LifecycleJournal", "SystemErrors",
                "Varlink",
            ], swiftSettings: onMain),
        // Not on the main actor by default: ArgumentParser's protocols are for types that belong to no actor.
        .executableTarget(
            name: "belfryctl",
            dependencies: [
                "BelfryConfiguration", "BelfryControl", "EventLoop", "SystemErrors", "Varlink",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),

        // Tests, and the programs that they run.
        .target(
            name: "TestSupport", dependencies: ["CSystemd", "EventLoop", "ServiceManager", "SystemErrors"],
            path: "Tests/TestSupport", swiftSettings: onMain),
        .executableTarget(
            name: "ServiceProbe",
            dependencies: ["Belfry", "BelfrySocket", "EventLoop", "Lifecycle", "ServiceManager", "SystemErrors"],
            path: "Tests/Probes/ServiceProbe", swiftSettings: onMain),
        .executableTarget(
            name: "ServiceGroupProbe",
            dependencies: [
                "Belfry", "BelfryServiceLifecycle", "BelfrySocket", "Lifecycle",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], path: "Tests/Probes/ServiceGroupProbe", swiftSettings: onMain),
        .testTarget(
            name: "BelfryServiceLifecycleTests",
            dependencies: [
                "BelfryServiceLifecycle", "Lifecycle", "LifecycleTesting", "ServiceGroupProbe", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: onMain),
        .testTarget(
            name: "BelfryTests",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "Lifecycle", "ServiceProbe", "TestSupport", "belfryctl", "belfryd",
            ],
            swiftSettings: onMain),
        .executableTarget(
            name: "EventLoopProbe", dependencies: ["CSystemd", "EventLoop"], path: "Tests/Probes/EventLoopProbe",
            swiftSettings: onMain),
        .executableTarget(
            name: "VarlinkProbe", dependencies: ["CSystemd", "EventLoop", "SystemErrors", "Varlink"],
            path: "Tests/Probes/VarlinkProbe", swiftSettings: onMain),
        .executableTarget(
            name: "LifecycleServiceProbe", dependencies: ["CSystemd", "EventLoop", "LifecycleSocket", "Varlink"],
            path: "Tests/Probes/LifecycleServiceProbe", swiftSettings: onMain),
        .testTarget(
            name: "BelfryConfigurationTests", dependencies: ["BelfryConfiguration", "TestSupport"],
            swiftSettings: onMain),
        .testTarget(
            name: "BelfryControlTests",
            dependencies: [
                "BelfryControl", "CSystemd", "EventLoop", "LifecycleServiceProbe", "SystemErrors", "TestSupport",
                "Varlink",
                "belfryctl",
            ],
            swiftSettings: onMain),
        .testTarget(
            name: "CacheTrimmingTests", dependencies: ["CacheTrimming", "CSystemd", "SystemErrors", "TestSupport"],
            swiftSettings: onMain),
        .testTarget(
            name: "EventLoopTests",
            dependencies: ["CSystemd", "EventLoop", "EventLoopProbe", "SystemErrors", "TestSupport"],
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleListenersTests",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "LifecycleJournal", "LifecycleListeners",
                "LifecycleTesting", "ServiceManager", "SystemErrors", "TestSupport", "Varlink",
            ],
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleSocketTests",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "LifecycleJournal", "LifecycleListeners",
                "LifecycleSocket", "LifecycleTesting", "ServiceManager", "SystemErrors", "TestSupport", "Varlink",
            ],
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleCacheFlushTests",
            dependencies: [
                "BelfryConfiguration", "Lifecycle", "LifecycleCacheFlush", "LifecycleListeners", "LifecycleTesting",
                "ServiceManager", "TestSupport",
            ],
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleJournalTests",
            dependencies: ["CSystemd", "LifecycleJournal", "SystemErrors", "TestSupport", "Varlink"],
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleSourcesTests",
            dependencies: [
                "BelfryConfiguration", "CSystemd", "EventLoop", "Lifecycle", "LifecycleSources", "LifecycleTesting",
                "ServiceManager", "SystemErrors", "TestSupport",
            ],
            swiftSettings: onMain),
        .target(
            name: "MediatorModel", dependencies: ["Lifecycle", "LifecycleTesting", "TestSupport"],
            path: "Tests/MediatorModel", swiftSettings: onMain),
        .executableTarget(
            name: "MediatorModelProbe", dependencies: ["MediatorModel"], path: "Tests/Probes/MediatorModel",
            swiftSettings: onMain),
        .target(
            name: "CAllocations", path: "Tests/Probes/CAllocations", cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "AllocationProbe", dependencies: ["CAllocations", "EventLoop", "Lifecycle", "LifecycleSources"],
            path: "Tests/Probes/AllocationProbe", swiftSettings: onMain),
        .target(
            name: "DocumentationSnippets", dependencies: ["Belfry"], path: "Tests/DocumentationSnippets",
            swiftSettings: onMain),
        .testTarget(
            name: "LifecycleTests",
            dependencies: [
                "AllocationProbe", "DocumentationSnippets", "Lifecycle", "LifecycleTesting", "MediatorModel",
                "TestSupport",
            ], swiftSettings: onMain),
        .testTarget(
            name: "ServiceManagerTests",
            dependencies: ["CSystemd", "EventLoop", "ServiceManager", "SystemErrors", "TestSupport"],
            swiftSettings: onMain),
        .testTarget(name: "SystemErrorsTests", dependencies: ["SystemErrors"], swiftSettings: onMain),
        .testTarget(
            name: "VarlinkTests",
            dependencies: ["CSystemd", "EventLoop", "SystemErrors", "TestSupport", "Varlink", "VarlinkProbe"],
            swiftSettings: onMain),
    ]
)

// The fuzzer wants libFuzzer, which only `make fuzz` links.
if Context.environment["BELFRY_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer",
            dependencies: ["BelfryConfiguration", "Lifecycle", "LifecycleSocket", "LifecycleSources", "Varlink"],
            path: "Tests/Fuzzing/Fuzzer", swiftSettings: onMain))
}
