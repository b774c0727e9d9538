// swift-tools-version: 6.2
import PackageDescription

// Every warning is an error with the compilers this package is known to build with; a newer compiler may warn of new things.
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

// What a third party does for us, and why it is not ours to write.
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
        // Preloaded into homingd by the campaigns of homing-torture; not installed.
        .library(name: "TortureRecorder", type: .dynamic, targets: ["CRecorder"]),
    ],
    dependencies: [
        // SQL: the outbox on Debian's own libsqlite3.
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        // HTTP and TLS to the backends, and HTTP over the control socket for `homing`.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        // HTTP on the control socket, and the sandbox backend.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        // Streams of events and heartbeats merged at the pace of their reader.
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
        // Paths as the system has them, bytes that need not be UTF-8, and its errors.
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        // Start and stop of the daemon's parts in order; signals.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        // The command lines.
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        // YAML of profiles and configuration, with the line of every value.
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        // AES-GCM, HKDF and SHA-256 of the vault.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        // The logging interface that all of the above share.
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        // Requests and responses as values.
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        // Event loops and channels underneath the HTTP libraries: our own accepting socket, and cut connections in the sandbox.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        // A CA file of the administrator's choice.
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        .target(name: "CSystemLinux", linkerSettings: [.linkedLibrary("sqlite3")]),
        house("SyncModel", []),
        house("Vault", [crypto]),
        house("Outbox", ["SyncModel", "JSON", "Vault", "CSystemLinux", grdb, grdbSQLite]),
        // Payloads and answers stay bytes: what is checked and read of them is read in place, with every number's own text.
        house("JSON", ["SyncModel"]),
        house("Capture", ["SyncModel", "JSON", "Outbox", "CSystemLinux", crypto, logging, system]),
        house(
            "Backends", ["SyncModel", "JSON", "Vault", asyncHTTPClient, nioCore, nioHTTP1, nioHTTPCompression, nioPosix, nioSSL, yams]),
        house("Delivery", ["SyncModel", "Outbox", "Backends", logging]),
        // The description is compiled in: the daemon serves it wherever it is installed.
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
                "SyncModel", "Vault", "Outbox", "Capture", "Backends", "Delivery", "ControlAPI", "ControlServer", "CSystemLinux",
                lifecycle, logging, unixSignals,
            ]),
        // `Backends` reads the profiles that a sandbox stands in for, so that it takes what the daemon takes.
        house("Sandbox", ["Backends", crypto, httpTypes, hummingbirdCore, lifecycle, logging, nioCore, nioPosix, unixSignals]),
        program("homingd", ["SyncDaemon", argumentParser]),
        program("homing", ["ControlAPI", "JSON", "SyncModel", argumentParser]),
        program("homing-sandbox", ["Sandbox", argumentParser]),

        .target(name: "TestSupport", dependencies: ["SyncModel", logging], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // A station made of the real programs, for the tests that run them and for the campaigns that try to break them.
        .target(
            name: "StationSupport", dependencies: ["ControlAPI", "Sandbox", "SyncModel", "TestSupport", crypto],
            path: "Tests/StationSupport", swiftSettings: swiftSettings),
        // Writes down what a program does to its files, and kills it at a chosen place, from inside it (LD_PRELOAD).
        .target(name: "CRecorder", path: "Tests/CRecorder"),
        // Connects to a Unix socket as another user, in one thread of a process.
        .target(name: "CIdentity", path: "Tests/CIdentity"),
        // Made-up worlds for the delivering core over the real outbox, for the tests and for the campaigns.
        .target(
            name: "Simulation", dependencies: ["SyncModel", "Vault", "Outbox", "Backends", "Delivery", "TestSupport"],
            path: "Tests/Simulation",
            swiftSettings: swiftSettings),
        // Tries to break every guarantee, for as long as it is told; not installed.
        .executableTarget(
            name: "homing-torture",
            dependencies: [
                "StationSupport", "Simulation", "TestSupport", "ControlAPI", "Sandbox", "SyncModel", "JSON", "SyncDaemon", "Vault",
                "Outbox",
                "Delivery", "Backends", "Capture", "CIdentity", argumentParser, grdb, nioCore, nioPosix, nioSSL, system,
            ], path: "Tests/Torture", swiftSettings: swiftSettings),
        tests("SyncModel", ["SyncModel"]),
        tests("Vault", ["Vault"]),
        tests("JSON", ["JSON", "SyncModel"]),
        tests("Outbox", ["Outbox", "SyncModel", "Vault", crypto, grdb]),
        tests("Capture", ["Capture", "JSON", "Outbox", "SyncModel", "Vault", logging, system]),
        tests(
            "Backends", ["Backends", "SyncModel", "JSON", "Vault", nioCore, nioPosix, nioSSL], resources: [.copy("Fixtures")]),
        tests("Delivery", ["Delivery", "Outbox", "Backends", "Simulation", "SyncModel", "Vault"]),
        tests(
            "ControlServer",
            [
                "ControlServer", "ControlAPI", asyncHTTPClient, httpTypes, lifecycle, logging, nioCore, nioEmbedded, nioHTTP1,
                nioHTTPTypes, yams,
            ]),
        tests(
            "SyncDaemon",
            [
                "SyncDaemon", logging, "Outbox", "Capture", "Delivery", "Backends", "SyncModel", "Vault", "ControlAPI", "ControlServer",
                "Sandbox", yams,
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
