// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

/// A product that only Linux has.
func onLinux(_ product: String) -> Target.Dependency {
    .product(name: product, package: "belfry", condition: .when(platforms: [.linux]))
}
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]

let package = Package(
    name: "videod",
    platforms: [.macOS(.v26)],
    dependencies: [.package(path: "../belfry", traits: [])],
    targets: [
        .target(
            name: "Video", dependencies: [.product(name: "Lifecycle", package: "belfry")], swiftSettings: settings),
        .executableTarget(
            name: "videod", dependencies: ["Video", onLinux("Belfry"), onLinux("BelfrySocket")],
            swiftSettings: settings),
        .testTarget(
            name: "VideoTests", dependencies: ["Video", .product(name: "LifecycleTesting", package: "belfry")],
            swiftSettings: settings),
    ]
)
