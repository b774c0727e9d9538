// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors with the compilers that build this package without warnings; a newer compiler may add warnings.
#if compiler(<6.4)
    let warnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
    let warnings: [SwiftSetting] = []
#endif
let swiftSettings: [SwiftSetting] =
    warnings + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

// Products of other packages; the dependencies below say what each is for.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncAlgorithms = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioExtras = Target.Dependency.product(name: "NIOExtras", package: "swift-nio-extras")
let nioHTTPCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

func house(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: swiftSettings)
}
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude, resources: resources,
        swiftSettings: swiftSettings)
}

let package = Package(
    name: "Homing",
    products: [
        .executable(name: "homingd", targets: ["homingd"]),
        .executable(name: "homing", targets: ["homing"]),
        .executable(name: "homing-sandbox", targets: ["homing-sandbox"]),
        // Campaigns of homing-torture preload it into homingd; not installed.
        .library(name: "TortureRecorder", type: .dynamic, targets: ["CRecorder"]),
    ],
    dependencies: [
        // SQLite: the outbox, with Debian's libsqlite3.
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        // HTTP and TLS to the backends, and HTTP over the control socket for `homing`.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        // HTTP on the control socket, and in the sandbox.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        // Merges streams of events and heartbeats with back pressure.
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
        // File paths as bytes, which need not be UTF-8, and errno values.
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        // Starts and stops the daemon's services in order; signals.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        // Command-line parsing.
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        // YAML of profiles and configuration, with line numbers.
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        // AES-GCM, HKDF and SHA-256 for the vault.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        // The logging API of all packages above.
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        // HTTP request and response types.
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        // Event loops and channels of the HTTP libraries: our own accepting socket, and reset connections in the sandbox.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        // A custom CA file.
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        .target(name: "CSystemLinux", linkerSettings: [.linkedLibrary("sqlite3")]),
        house("SyncModel", []),
        // The one place that writes and renames files durably.
        house("Files", ["CSystemLinux", system]),
        house("Vault", ["Files", crypto]),
        house("Outbox", ["SyncModel", "Files", "JSON", "Vault", "CSystemLinux", grdb, grdbSQLite]),
        // Opens a store, and salvages a damaged one. It reads the files without SQLite, because SQLite stops at damage.
        house("Salvage", ["SyncModel", "Files", "Outbox", "Vault", grdb]),
        // Payloads and responses stay bytes: parsed in place, so every number keeps its original text.
        house("JSON", ["SyncModel"]),
        house("Capture", ["SyncModel", "Files", "JSON", "Outbox", crypto, logging, system]),
        house(
            "Backends", ["SyncModel", "JSON", asyncHTTPClient, nioCore, nioHTTP1, nioHTTPCompression, nioPosix, nioSSL, yams]),
        house("Sessions", ["SyncModel", "JSON", "Outbox", "Backends", crypto, logging]),
        house("Delivery", ["SyncModel", "Outbox", "Backends", "Sessions", logging]),
        // The OpenAPI description is compiled in, so the daemon can serve it wherever it is installed.
        house("ControlAPI", [asyncHTTPClient, nioCore, nioHTTP1], resources: [.embedInCode("openapi.yaml")]),
        house(
            "ControlServer",
            [
                "SyncModel", "ControlAPI", "CSystemLinux", asyncAlgorithms, httpTypes, hummingbird, hummingbirdCore, lifecycle, logging,
                nioCore, nioExtras, nioHTTPTypes, nioPosix,
            ]),
        house(
            "SyncDaemon",
            [
                "SyncModel", "Files", "Vault", "Outbox", "Salvage", "Capture", "Backends", "Sessions", "Delivery", "ControlAPI",
                "ControlServer",
                "CSystemLinux", lifecycle, logging, unixSignals,
            ]),
        // `Backends` reads the profiles for the sandbox, with the daemon's rules.
        house("Sandbox", ["Backends", crypto, httpTypes, hummingbirdCore, lifecycle, logging, nioCore, nioPosix, unixSignals]),
        program("homingd", ["SyncDaemon", argumentParser]),
        program("homing", ["ControlAPI", "JSON", "SyncModel", argumentParser]),
        program("homing-sandbox", ["Sandbox", argumentParser]),

        .target(name: "TestSupport", dependencies: ["SyncModel", logging], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // A store of its own, for the tests of the outbox and of the salvage.
        .target(
            name: "StoreSupport", dependencies: ["Outbox", "SyncModel", "TestSupport", "Vault", grdb], path: "Tests/StoreSupport",
            swiftSettings: swiftSettings),
        // A station of the real programs, for end-to-end tests and campaigns.
        .target(
            name: "StationSupport", dependencies: ["ControlAPI", "Sandbox", "SyncModel", "TestSupport", crypto],
            path: "Tests/StationSupport", swiftSettings: swiftSettings),
        // Records a program's file operations and kills it at a chosen point, from inside (LD_PRELOAD).
        .target(name: "CRecorder", path: "Tests/CRecorder"),
        // Connects to a Unix socket as another user, in one thread of a process.
        .target(name: "CIdentity", path: "Tests/CIdentity"),
        // Simulated worlds (network, backends, people) for the delivery core over the real outbox, for tests and campaigns.
        .target(
            name: "Simulation",
            dependencies: ["SyncModel", "Vault", "Outbox", "Salvage", "Backends", "Sessions", "Delivery", "TestSupport"],
            path: "Tests/Simulation",
            swiftSettings: swiftSettings),
        // Tries to break every guarantee for a given time; not installed.
        .executableTarget(
            name: "homing-torture",
            dependencies: [
                "StationSupport", "Simulation", "TestSupport", "ControlAPI", "Sandbox", "SyncModel", "JSON", "SyncDaemon", "Vault",
                "Outbox", "Salvage", "Delivery", "Backends", "Sessions", "Capture", "CIdentity", argumentParser, grdb, nioCore, nioPosix,
                nioSSL, system,
            ], path: "Tests/Torture", swiftSettings: swiftSettings),
        tests("SyncModel", ["SyncModel"]),
        tests("Files", ["Files", system]),
        tests("Vault", ["Vault", "Files"]),
        tests("JSON", ["JSON", "SyncModel"]),
        tests("Outbox", ["Outbox", "StoreSupport", "SyncModel", "Vault", crypto, grdb]),
        tests("Salvage", ["Salvage", "Outbox", "StoreSupport", "SyncModel", "Vault", grdb]),
        tests("Capture", ["Capture", "Files", "JSON", "Outbox", "SyncModel", "Vault", logging, system]),
        tests(
            "Backends", ["Backends", "Sessions", "Outbox", "SyncModel", "JSON", "Vault", grdb, logging, nioCore, nioPosix, nioSSL],
            resources: [.copy("Fixtures")]),
        tests("Delivery", ["Delivery", "Outbox", "Backends", "Sessions", "Simulation", "SyncModel", "Vault", logging]),
        tests(
            "ControlServer",
            [
                "ControlServer", "ControlAPI", asyncHTTPClient, httpTypes, lifecycle, logging, nioCore, nioEmbedded, nioHTTP1,
                nioHTTPTypes, yams,
            ]),
        tests(
            "SyncDaemon",
            [
                "SyncDaemon", logging, "Outbox", "Capture", "Delivery", "Backends", "Sessions", "SyncModel", "Vault", "ControlAPI",
                "ControlServer", "Sandbox", yams,
            ]),
        tests("Sandbox", ["Sandbox", asyncHTTPClient, nioCore, nioHTTP1], resources: [.copy("Fixtures")]),
        tests("homing", ["homing", "ControlAPI", "ControlServer"]),
        tests(
            "EndToEnd",
            [
                "homingd", "homing", "homing-sandbox", "homing-torture", "ControlAPI", "ControlServer", "Delivery", "Sandbox",
                "StationSupport", "SyncDaemon", "SyncModel", asyncHTTPClient, httpTypes, logging, nioCore, nioHTTP1, nioPosix,
            ], exclude: ["Integrations/submit.py", "Integrations/submit.sh"]),
    ]
)
