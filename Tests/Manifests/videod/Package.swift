// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

let package = Package(
    name: "videod",
    dependencies: [.package(path: "../belfry", traits: [])],
    targets: [
        .executableTarget(
            name: "videod",
            dependencies: [
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfrySocket", package: "belfry"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)])
    ]
)
