// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

/// The same settings as in the package that is measured.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .defaultIsolation(MainActor.self),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

// A separate package, so that Belfry does not depend on what only the benchmarks need.
let package = Package(
    name: "belfry-benchmarks",
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .target(name: "CBenchmark", cSettings: strictC),
        .executableTarget(name: "BareProgram", dependencies: ["CBenchmark"], swiftSettings: strict),

        // What the library adds to a program that does nothing.
        .systemLibrary(name: "CLibsystemd"),
        .executableTarget(name: "BareLoop", dependencies: ["CLibsystemd"], swiftSettings: strict),
        .executableTarget(
            name: "EmptyService", dependencies: [.product(name: "Belfry", package: "belfry")], swiftSettings: strict),
        .executableTarget(
            name: "SocketService",
            dependencies: [
                .product(name: "Belfry", package: "belfry"), .product(name: "BelfrySocket", package: "belfry"),
            ], swiftSettings: strict),

        // Programs that receive a signal, and the one that sends it.
        .executableTarget(name: "SignalSender", dependencies: ["CBenchmark"], cSettings: strictC),
        .executableTarget(name: "SignalLoop", dependencies: ["CBenchmark"], cSettings: strictC),
        .executableTarget(name: "SignalAnswer", dependencies: ["CBenchmark"], cSettings: strictC),
        .executableTarget(name: "SignalDispatch", dependencies: ["CBenchmark"], swiftSettings: strict),
        .executableTarget(
            name: "SignalUnixSignals",
            dependencies: ["CBenchmark", .product(name: "UnixSignals", package: "swift-service-lifecycle")],
            swiftSettings: strict),
        .executableTarget(
            name: "SignalBelfry",
            dependencies: [
                "CBenchmark", .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"), .product(name: "Lifecycle", package: "belfry"),
            ], swiftSettings: strict),

        .executableTarget(
            name: "ObserverBenchmark",
            dependencies: [
                "CBenchmark", .product(name: "Belfry", package: "belfry"),
                .product(name: "Lifecycle", package: "belfry"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "ManyListeners", dependencies: [.product(name: "Belfry", package: "belfry")], swiftSettings: strict),
        .executableTarget(name: "FanOutClient", dependencies: ["CBenchmark"], cSettings: strictC),
        .executableTarget(name: "WriteLoop", dependencies: ["CBenchmark"], cSettings: strictC),
        .executableTarget(
            name: "DBusBroker", dependencies: ["CBenchmark"], cSettings: strictC,
            linkerSettings: [.linkedLibrary("systemd")]),
    ]
)
