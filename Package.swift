// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import PackageDescription

/// Every Swift target of ours: Swift 6 mode, warnings are errors, each file imports what it uses.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// One thread, one loop, one actor: code is on the main actor unless it says otherwise.
let onMain: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]

// Products of other packages. A service that does without some of them fetches none of these packages (`traits` below).
typealias Products = [Target.Dependency]
func product(_ name: String, of package: String, trait: String) -> Products {
    [.product(name: name, package: package, condition: .when(traits: [trait]))]
}
let argumentParser = product("ArgumentParser", of: "swift-argument-parser", trait: "ArgumentParser")
let swiftLog = product("Logging", of: "swift-log", trait: "Logging")
let coreMetrics = product("CoreMetrics", of: "swift-metrics", trait: "Metrics")
let nio = ["NIOCore", "NIOPosix"].flatMap { product($0, of: "swift-nio", trait: "NIO") }
let hummingbird =
    ["Hummingbird", "HummingbirdCore"].flatMap { product($0, of: "hummingbird", trait: "Hummingbird") }
    + product("HTTPTypes", of: "swift-http-types", trait: "Hummingbird")
    + product("NIOHTTP1", of: "swift-nio", trait: "Hummingbird")
    + product("NIOHTTPTypes", of: "swift-nio-extras", trait: "Hummingbird")
let serviceLifecycle = swiftLog + product("ServiceLifecycle", of: "swift-service-lifecycle", trait: "ServiceLifecycle")

// Parts that every service links.
let linux = ["CBelfry", "BelfryLinux"]
let ground = linux + ["BelfryEventLoop", "BelfryJSON", "BelfrySystemd"]
let service = ground + ["Belfry", "BelfryConfiguration", "BelfryListeners", "BelfrySources", "Lifecycle"]

/// Swift code in a folder whose last component is its name.
func swift(_ folder: String, _ uses: [String], _ products: Products = [], settings: [SwiftSetting] = onMain) -> Target {
    .target(
        name: name(of: folder), dependencies: uses.map { .byName(name: $0) } + products, path: folder,
        swiftSettings: settings)
}

/// C code, likewise.
func c(_ folder: String, links libraries: [String] = []) -> Target {
    .target(
        name: name(of: folder), path: folder, cSettings: [.treatAllWarnings(as: .error)],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A program, likewise.
func program(
    _ folder: String, _ uses: [String], _ products: Products = [], exclude: [String] = [],
    settings: [SwiftSetting] = onMain
) -> Target {
    .executableTarget(
        name: name(of: folder), dependencies: uses.map { .byName(name: $0) } + products, path: folder,
        exclude: exclude, swiftSettings: settings)
}

/// The tests of a part, in the folder `PARTTests`. They may use the ground and the mediator besides.
func tests(
    _ folder: String, _ uses: [String] = [], _ products: Products = [], exclude: [String] = [],
    settings: [SwiftSetting] = onMain
) -> Target {
    let part = String(name(of: folder).dropLast("Tests".count))
    let all = Set([part, "Lifecycle", "LifecycleTesting", "TestSupport"] + ground + uses)
    return .testTarget(
        name: name(of: folder), dependencies: all.sorted().map { .byName(name: $0) } + products, path: folder,
        exclude: exclude, swiftSettings: settings)
}

/// The last component, of an example without its number.
func name(of folder: String) -> String {
    String(folder.split(separator: "/").last!.drop { $0.isNumber || $0 == "-" })
}

let package = Package(
    name: "belfry",
    // Lifecycle and LifecycleTesting, which Task.immediate lets build there; everything else needs Linux.
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Belfry", targets: ["Belfry"]),
        .library(name: "BelfryCacheFlush", targets: ["BelfryCacheFlush"]),
        .library(name: "BelfryHummingbird", targets: ["BelfryHummingbird"]),
        .library(name: "BelfryLogging", targets: ["BelfryLogging"]),
        .library(name: "BelfryMetrics", targets: ["BelfryMetrics"]),
        .library(name: "BelfryNIO", targets: ["BelfryNIO"]),
        .library(name: "BelfryServer", targets: ["BelfryServer"]),
        .library(name: "BelfryServiceLifecycle", targets: ["BelfryServiceLifecycle"]),
        .library(name: "BelfrySocket", targets: ["BelfrySocket"]),
        .library(name: "BelfryTesting", targets: ["BelfryTesting"]),
        .library(name: "Lifecycle", targets: ["Lifecycle"]),
        .library(name: "LifecycleTesting", targets: ["LifecycleTesting"]),
        .executable(name: "belfryd", targets: ["belfryd"]),
        .executable(name: "belfryctl", targets: ["belfryctl"]),
        .executable(name: "belfry-generator", targets: ["belfry-generator"]),
        .executable(name: "belfry-listener", targets: ["belfry-listener"]),
    ],
    traits: [
        .default(enabledTraits: ["ArgumentParser", "Logging", "Metrics", "ServiceLifecycle"]),
        .trait(name: "ArgumentParser", description: "belfryctl"),
        .trait(name: "Logging", description: "BelfryLogging"),
        .trait(name: "Metrics", description: "BelfryMetrics"),
        .trait(name: "ServiceLifecycle", description: "BelfryServiceLifecycle", enabledTraits: ["Logging"]),
        // Off by default, because few services need what they fetch.
        .trait(name: "NIO", description: "BelfryNIO"),
        .trait(name: "Hummingbird", description: "BelfryHummingbird", enabledTraits: ["Logging", "NIO"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        // Without its traits, which add swift-configuration and Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ]
)

// Each room uses the rooms above it. Within a room a part uses those above it, as far as it says so.
package.targets += [
    c("Sources/Ground/CBelfry", links: ["systemd", "dispatch"]),
    swift("Sources/Ground/BelfryLinux", ["CBelfry"]),
    swift("Sources/Ground/BelfryJSON", []),
    swift("Sources/Ground/BelfryEventLoop", linux),
    swift("Sources/Ground/BelfrySystemd", linux + ["BelfryEventLoop", "BelfryJSON"]),
    swift("Sources/Ground/Varlink", linux + ["BelfryEventLoop", "BelfryJSON"]),

    swift("Sources/Lifecycle/Lifecycle", ["BelfryJSON"]),
    swift("Sources/Lifecycle/LifecycleTesting", ["Lifecycle"]),

    swift("Sources/Service/BelfryConfiguration", ground + ["Lifecycle"]),
    swift("Sources/Service/BelfrySources", ground + ["Lifecycle"]),
    swift("Sources/Service/BelfryListeners", ground + ["Lifecycle"]),
    swift("Sources/Service/Belfry", ground + ["BelfryConfiguration", "BelfryListeners", "BelfrySources", "Lifecycle"]),
    swift("Sources/Service/BelfryTesting", service + ["LifecycleTesting"]),

    // What a service has only when it names it, and links only then.
    swift("Sources/Components/BelfryCacheFlush", service),
    swift("Sources/Components/BelfryLogging", service, swiftLog),
    swift("Sources/Components/BelfryMetricRegistry", ["BelfryJSON", "BelfryLinux"], settings: strict),
    swift("Sources/Components/BelfryMetrics", ["BelfryMetricRegistry"], coreMetrics, settings: strict),
    swift("Sources/Components/BelfryServer", service + ["BelfryMetricRegistry"]),
    swift("Sources/Components/BelfryServiceLifecycle", service, serviceLifecycle),
    swift("Sources/Components/BelfrySocket", service + ["BelfryMetricRegistry", "Varlink"]),

    // The same for packages that are not fetched by default. Their code is empty without their traits, and
    // Examples/NIOService, a package with these traits, tests it.
    swift("Integrations/BelfryNIO", ["Belfry", "BelfryServer"], nio),
    swift("Integrations/BelfryHummingbird", ["Belfry", "BelfryNIO", "BelfryServer"], swiftLog + nio + hummingbird),

    swift("Sources/Programs/BelfryClient", ground + ["BelfryConfiguration", "Lifecycle", "Varlink"]),
    // Not on the main actor by default: ArgumentParser's protocols are for types that belong to no actor.
    swift(
        "Sources/Programs/BelfryCommandLine", ground + ["BelfryClient", "BelfryConfiguration", "Varlink"],
        argumentParser, settings: strict),
    program("Sources/Programs/belfryd", service + ["BelfryCacheFlush", "BelfrySocket"]),
    program("Sources/Programs/belfry-generator", ground + ["BelfryConfiguration"]),
    program("Sources/Programs/belfry-listener", ground + ["BelfryClient", "BelfryConfiguration", "Lifecycle"]),
    program(
        "Sources/Programs/belfryctl",
        ground + ["BelfryClient", "BelfryCommandLine", "BelfryConfiguration", "Varlink"], argumentParser,
        settings: strict),
]

// Examples that are also tested on booted systemd. Examples has the others, in a package of their own.
package.targets += [
    program(
        "Examples/01-FirstListeners", ["Belfry", "BelfryCacheFlush", "BelfryServer", "BelfrySocket"],
        exclude: ["README.md", "Tests", "videod.conf", "videod.service"]),
    program(
        "Examples/EchoServer", ["Belfry", "BelfryServer"],
        exclude: ["README.md", "echo-server.service", "echo-server.socket"]),
    program(
        "Examples/Worker", ["Belfry", "BelfryLogging", "BelfryMetrics", "BelfrySocket"], coreMetrics + swiftLog,
        exclude: ["README.md", "Tests", "worker.conf", "worker.service"]),
    // The workers of docs/compare.md.
    swift("Examples/Compare/Work", [], settings: strict),
    program("Examples/Compare/ListenerWorker", ["Belfry", "BelfrySocket", "Work"]),
    program(
        "Examples/Compare/ServiceGroupWorker", ["Work"],
        serviceLifecycle + product("UnixSignals", of: "swift-service-lifecycle", trait: "ServiceLifecycle"),
        settings: strict),
]

// What tests use: helpers, programs that they run, and the Swift code of README.md, docs and the DocC catalogues.
package.targets += [
    swift("Tests/TestSupport", linux + ["BelfryEventLoop", "BelfrySystemd", "Lifecycle", "Varlink"]),
    swift("Tests/MediatorModel", ["Lifecycle", "LifecycleTesting", "TestSupport"]),
    c("Tests/Probes/CAllocations"),
    program("Tests/Probes/AllocationProbe", ["BelfryEventLoop", "BelfrySources", "CAllocations", "Lifecycle"]),
    program("Tests/Probes/AsyncMainProbe", ["Belfry"]),
    program("Tests/Probes/EventLoopProbe", ["BelfryEventLoop", "CBelfry"]),
    program("Tests/Probes/LifecycleServiceProbe", ["BelfryEventLoop", "BelfrySocket", "CBelfry", "Varlink"]),
    program("Tests/Probes/LoggingProbe", ["Belfry", "BelfryLogging", "BelfrySocket"], swiftLog),
    program("Tests/Probes/MediatorModelProbe", ["MediatorModel"]),
    program("Tests/Probes/MetricsProbe", ["Belfry", "BelfryMetrics", "BelfrySocket"], coreMetrics),
    program("Tests/Probes/OwnArgumentsProbe", ["Belfry"], argumentParser, settings: strict),
    program(
        "Tests/Probes/ServiceGroupProbe", ["Belfry", "BelfryServiceLifecycle", "BelfrySocket", "Lifecycle"],
        serviceLifecycle + product("UnixSignals", of: "swift-service-lifecycle", trait: "ServiceLifecycle")),
    program("Tests/Probes/ServiceProbe", service + ["BelfryServer", "BelfrySocket"]),
    program("Tests/Probes/SettingsProbe", ["Belfry", "BelfrySocket"]),
    program("Tests/Probes/VarlinkProbe", linux + ["BelfryEventLoop", "Varlink"]),
    program(
        "Tests/DocumentationSnippets",
        service + ["BelfryCacheFlush", "BelfryLogging", "BelfryMetrics", "BelfrySocket"],
        swiftLog + product("Metrics", of: "swift-metrics", trait: "Metrics")),
]

package.targets += [
    tests("Tests/Ground/BelfryLinuxTests"),
    tests("Tests/Ground/BelfryJSONTests"),
    tests("Tests/Ground/BelfryEventLoopTests", ["EventLoopProbe"]),
    tests("Tests/Ground/BelfrySystemdTests"),
    tests("Tests/Ground/VarlinkTests", ["VarlinkProbe"]),

    tests("Tests/Lifecycle/LifecycleTests", ["AllocationProbe", "DocumentationSnippets", "MediatorModel"]),

    tests("Tests/Service/BelfryConfigurationTests"),
    tests("Tests/Service/BelfrySourcesTests"),
    tests("Tests/Service/BelfryListenersTests", ["Varlink"]),
    tests(
        "Tests/Service/BelfryTests",
        [
            "AsyncMainProbe", "BelfryConfiguration", "BelfryTesting", "OwnArgumentsProbe", "ServiceProbe",
            "SettingsProbe", "belfryctl",
            "belfryd",
        ]),

    tests("Tests/Service/BelfryTestingTests", ["Belfry", "BelfryServer"]),

    tests("Tests/Components/BelfryCacheFlushTests", service),
    tests("Tests/Components/BelfryLoggingTests", service + ["LoggingProbe"], swiftLog),
    tests("Tests/Components/BelfryMetricRegistryTests", settings: strict),
    tests(
        "Tests/Components/BelfryMetricsTests", ["BelfryMetricRegistry", "MetricsProbe"], coreMetrics,
        exclude: ["open_metrics.py"], settings: strict),
    tests("Tests/Components/BelfryServerTests", service + ["BelfryMetricRegistry", "BelfryTesting"]),
    tests(
        "Tests/Components/BelfryServiceLifecycleTests", ["ListenerWorker", "ServiceGroupProbe", "ServiceGroupWorker"],
        serviceLifecycle),
    tests("Tests/Components/BelfrySocketTests", service + ["BelfryMetricRegistry", "Varlink"]),

    tests("Tests/Programs/BelfryClientTests", ["BelfryConfiguration", "Varlink"]),
    tests("Tests/Programs/BelfryCommandLineTests", ["Varlink"]),
    tests("Tests/Programs/belfry-listenerTests", ["BelfryConfiguration", "belfryctl", "belfryd"]),
    tests("Tests/Programs/belfrydTests"),
    tests(
        "Tests/Programs/belfryctlTests", ["BelfryClient", "BelfryCommandLine", "LifecycleServiceProbe", "Varlink"],
        argumentParser),
]

// The fuzzer wants libFuzzer, which only `make fuzz` links.
if Context.environment["BELFRY_FUZZING"] != nil {
    package.targets.append(program("Tests/Fuzzing/Fuzzer", service + ["BelfrySocket", "Varlink"]))
}

// The fleet wants libmosquitto, which only `make fleet` installs.
if Context.environment["BELFRY_FLEET"] != nil {
    let bridge = service + ["BelfryClient", "BelfryLogging", "BelfryMQTT", "Varlink"]
    package.targets += [
        c("Fleet/Sources/CBelfryFleet"),
        swift("Fleet/Sources/BelfryMQTT", linux + ["BelfryEventLoop", "CBelfryFleet"]),
        program("Fleet/Sources/belfry-fleetd", bridge, swiftLog),
        program(
            "Fleet/Sources/belfry-fleet",
            ground + ["BelfryClient", "BelfryCommandLine", "BelfryConfiguration", "Varlink"], argumentParser,
            settings: strict),
        swift("Fleet/Tests/FleetTestSupport", ["BelfryEventLoop", "TestSupport"]),
        tests("Fleet/Tests/BelfryMQTTTests", ["FleetTestSupport"]),
        program("Fleet/Tests/FleetServiceProbe", ["BelfryEventLoop", "CBelfry", "Varlink"]),
        tests("Fleet/Tests/belfry-fleetTests", ["FleetServiceProbe", "LifecycleServiceProbe", "Varlink"]),
        tests("Fleet/Tests/belfry-fleetdTests", ["BelfryConfiguration", "Varlink", "belfryctl", "belfryd"]),
    ]
    package.products += ["belfry-fleet", "belfry-fleetd"].map { .executable(name: $0, targets: [$0]) }
}
