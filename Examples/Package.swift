// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

/// The same settings as in Belfry itself.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .defaultIsolation(MainActor.self),
]

/// One example: a program and the folder it is in.
func example(
    _ name: String, _ folder: String, uses products: [String] = ["Lifecycle", "LifecycleTesting"],
    with targets: [Target.Dependency] = [], besides others: [String] = []
) -> Target {
    let documents = folder.contains("/") ? [] : ["README.md", "expected-output"]
    return .executableTarget(
        name: name, dependencies: products.map { .product(name: $0, package: "belfry") } + targets, path: folder,
        exclude: documents + others, swiftSettings: strict)
}

// A package of its own, as a user's is. The name of a program is that of its folder without the number.
let package = Package(
    name: "belfry-examples",
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "FirstListeners",
            dependencies: ["Belfry", "BelfryCacheFlush", "BelfryServer", "BelfrySocket"].map {
                .product(name: $0, package: "belfry")
            }, path: "01-FirstListeners/Sources", swiftSettings: strict),
        .testTarget(
            name: "FirstListenersTests",
            dependencies: [
                "FirstListeners", .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryServer", package: "belfry"),
                .product(name: "BelfryTesting", package: "belfry"),
                .product(name: "LifecycleTesting", package: "belfry"),
            ], path: "01-FirstListeners/Tests", swiftSettings: strict),
        example("MassiveMainBefore", "02-MassiveMain/Before", uses: []),
        example("MassiveMainAfter", "02-MassiveMain/After"),
        example("StartupCommands", "03-StartupCommands"),
        example("Composite", "04-Composite"),
        example("PrimaryDelegate", "05-PrimaryDelegate"),
        example("SplitConcerns", "06-SplitConcerns"),
        example(
            "SelfRegistration", "07-SelfRegistration", uses: ["Belfry"], with: ["Greeting"],
            besides: ["belfry.conf", "Greeting"]),
        .target(
            name: "Greeting", dependencies: [.product(name: "Belfry", package: "belfry")],
            path: "07-SelfRegistration/Greeting", swiftSettings: strict),
        example("StateRestoration", "08-StateRestoration", uses: ["Belfry"]),
        example("Actions", "09-Actions"),
        example("StatesAndCallbacks", "10-StatesAndCallbacks"),
        .executableTarget(
            name: "Worker",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryLogging", package: "belfry"),
                .product(name: "BelfryMetrics", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Worker/Sources", swiftSettings: strict),
        .testTarget(
            name: "WorkerTests",
            dependencies: [
                "Worker", .product(name: "Belfry", package: "belfry"),
                .product(name: "LifecycleTesting", package: "belfry"),
            ], path: "Worker/Tests", swiftSettings: strict),
        // Targets with names that were once Belfry's own: SwiftPM would refuse a second target of such a name.
        .target(name: "CSystemd", path: "Neighbours/CSystemd"),
        .target(name: "EventLoop", path: "Neighbours/EventLoop"),
        .target(name: "JSON", path: "Neighbours/JSON"),
        .target(name: "System", path: "Neighbours/System"),
        .testTarget(
            name: "NeighbourTargetsTests",
            dependencies: ["CSystemd", "EventLoop", "JSON", "System", .product(name: "Belfry", package: "belfry")],
            path: "Neighbours/Tests"),
    ]
)
