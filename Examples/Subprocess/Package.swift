// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

let package = Package(
    name: "SubprocessService",
    dependencies: [
        .package(name: "belfry", path: "../.."),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .executableTarget(
            name: "SubprocessService",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ], swiftSettings: [.defaultIsolation(MainActor.self)])
    ]
)
