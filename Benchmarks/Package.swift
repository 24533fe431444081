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

// A package of its own, so that what only a comparison needs stays out of Belfry's own dependencies.
let package = Package(
    name: "belfry-benchmarks",
    targets: [
        .target(name: "CBenchmark", cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(name: "BareProgram", dependencies: ["CBenchmark"], swiftSettings: strict),
    ]
)
