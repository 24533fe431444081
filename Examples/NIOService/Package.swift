// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

let package = Package(
    name: "NIOService",
    dependencies: [
        .package(name: "belfry", path: "../..", traits: [.defaults, "Hummingbird"]),
        // Without its traits, which add swift-configuration and Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-service-context", from: "1.5.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "NIOService",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryNIO", package: "belfry"),
                .product(name: "BelfryServer", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "HummingbirdService",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryHummingbird", package: "belfry"),
                .product(name: "BelfryServer", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "ApplicationService",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryServiceLifecycle", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .executableTarget(
            name: "ApplicationAlone", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
        .testTarget(
            name: "BelfryNIOTests",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryNIO", package: "belfry"),
                .product(name: "BelfryServer", package: "belfry"),
                .product(name: "BelfryTesting", package: "belfry"),
                .product(name: "LifecycleTesting", package: "belfry"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "BelfryHummingbirdTests",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryHummingbird", package: "belfry"),
                .product(name: "BelfryServer", package: "belfry"),
                .product(name: "BelfryTesting", package: "belfry"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "LifecycleTesting", package: "belfry"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "NeighbourTests",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryServiceLifecycle", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
    ]
)
