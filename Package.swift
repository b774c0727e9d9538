// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors with the compilers that build this package without warnings; a newer compiler may add warnings.
#if compiler(<6.4)
    let warnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
    let warnings: [SwiftSetting] = []
#endif
let features: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]
// One compiler process for each core. By default there is one for each 25 files, and each reads all imports again: a fifth of the time.
let batches: [SwiftSetting] = [.unsafeFlags(["-driver-batch-size-limit", "1000"], .when(configuration: .debug))]
let settings: [SwiftSetting] = warnings + [.swiftLanguageMode(.v6)] + features + batches

// The packages on GitHub, with the products that targets name below.
let packages: [(owner: String, name: String, from: Version, products: [String])] = [
    ("groue", "GRDB.swift", "7.10.0", ["GRDB", "GRDBSQLite"]),  // SQLite: the outbox, with Debian's libsqlite3.
    // HTTP and TLS to the backends, and HTTP over the control socket for `homing`.
    ("swift-server", "async-http-client", "1.37.0", ["AsyncHTTPClient"]),
    // HTTP on the control socket, of the dashboard, and in the sandbox.
    ("hummingbird-project", "hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore"]),
    ("apple", "swift-async-algorithms", "1.1.4", ["AsyncAlgorithms"]),  // Merges streams of events and heartbeats with back pressure.
    ("apple", "swift-system", "1.8.1", ["SystemPackage"]),  // File paths as bytes, which need not be UTF-8, and errno values.
    // Starts and stops the daemon's services in order; signals.
    ("swift-server", "swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "UnixSignals"]),
    ("apple", "swift-argument-parser", "1.8.2", ["ArgumentParser"]),  // Command-line parsing.
    ("jpsim", "Yams", "6.2.2", ["Yams"]),  // YAML of profiles and configuration, with line numbers.
    ("apple", "swift-crypto", "4.5.2", ["Crypto"]),  // AES-GCM, HKDF and SHA-256 for the vault.
    ("apple", "swift-log", "1.16.2", ["Logging"]),  // The logging API of all packages above.
    ("apple", "swift-http-types", "1.8.0", ["HTTPTypes"]),  // HTTP request and response types.
    // Event loops and channels of the HTTP libraries: our own accepting socket, and reset connections in the sandbox.
    ("apple", "swift-nio", "2.101.2", ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS"]),
    ("apple", "swift-nio-extras", "1.35.2", ["NIOExtras", "NIOHTTPCompression", "NIOHTTPTypes"]),
    ("apple", "swift-nio-ssl", "2.37.6", ["NIOSSL"]),  // A custom CA file.
]

/// Products of the packages and targets of this one, by name.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        guard let package = packages.first(where: { $0.products.contains(name) }) else { return .byName(name: name) }
        return .product(name: name, package: package.name)
    }
}
/// - Parameter isHot: optimised in debug builds too, in which the tests would spend a fifth of their time in its loops.
func house(
    _ name: String, _ names: String..., in folder: String? = nil, isHot: Bool = false, exclude: [String] = []
) -> Target {
    let path = folder.map { "\($0)/\(name)" }
    let settings = settings + (isHot ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])
    return .target(name: name, dependencies: dependencies(names), path: path, exclude: exclude, swiftSettings: settings)
}
func program(_ name: String, _ names: String..., path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies(names), path: path, swiftSettings: settings)
}
func tests(_ name: String, _ names: String..., exclude: [String] = [], resources: [Resource] = []) -> Target {
    let all = dependencies(names + ["TestSupport"])
    return .testTarget(name: "\(name)Tests", dependencies: all, exclude: exclude, resources: resources, swiftSettings: settings)
}

let targets: [Target] = [
    .target(name: "CSystemLinux", linkerSettings: [.linkedLibrary("sqlite3")]),
    // zstd for payloads at rest, and gzip for requests: Debian's libzstd and zlib.
    .target(name: "CCompression", linkerSettings: [.linkedLibrary("zstd"), .linkedLibrary("z")]),
    house("SyncModel", isHot: true),
    house("Files", "CSystemLinux", "SystemPackage"),  // The one place that writes and renames files durably.
    house("Vault", "Files", "CCompression", "Crypto"),
    house("Outbox", "SyncModel", "Files", "JSON", "Vault", "CSystemLinux", "GRDB", "GRDBSQLite"),
    // Opens a store, and salvages a damaged one. It reads the files without SQLite, because SQLite stops at damage.
    house("Salvage", "SyncModel", "Files", "Outbox", "Vault", "GRDB"),
    // Payloads and responses stay bytes: parsed in place, so every number keeps its original text.
    house("JSON", "SyncModel", isHot: true),
    house("Capture", "SyncModel", "Files", "JSON", "Outbox", "Crypto", "Logging", "SystemPackage"),
    house(
        "Backends", "SyncModel", "JSON", "CCompression", "AsyncHTTPClient", "NIOCore", "NIOExtras", "NIOHTTP1",
        "NIOHTTPCompression", "NIOPosix", "NIOSSL", "NIOTLS", "Yams"),
    house("Sessions", "SyncModel", "JSON", "Outbox", "Backends", "Crypto", "Logging"),
    house("Roster", "SyncModel", "Outbox", "Backends", "Sessions", "Logging"),  // Reads the account's lists for offline use.
    house("Delivery", "SyncModel", "Outbox", "Backends", "Sessions", "Roster", "Logging"),
    .target(name: "CResources"),  // Files that are compiled in: the OpenAPI description, and the texts, script and style of the dashboard.
    house("ControlAPI", "SyncModel", "CResources", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", exclude: ["openapi.yaml"]),
    house(
        "ControlServer", "SyncModel", "ControlAPI", "CSystemLinux", "AsyncAlgorithms", "HTTPTypes", "Hummingbird", "HummingbirdCore",
        "ServiceLifecycle", "Logging", "NIOCore", "NIOExtras", "NIOHTTPTypes", "NIOPosix"),
    // Says what to notify of and when: for `homing notify` on a desktop, and for the daemon. `Backends` reads the keys.
    house("Notifying", "SyncModel", "Backends", "ControlAPI"),
    house("Mail", "SyncModel", "NIOCore", "NIOPosix"),  // SMTP to the mail server of this computer.
    house(
        "SyncDaemon", "SyncModel", "Files", "Vault", "Outbox", "Salvage", "Capture", "Backends", "Sessions", "Roster", "Delivery",
        "ControlAPI", "ControlServer", "Mail", "Notifying", "CSystemLinux", "Crypto", "ServiceLifecycle", "Logging", "UnixSignals"),
    // `Backends` reads the profiles for the sandbox, with the daemon's rules.
    house(
        "Sandbox", "SyncModel", "Backends", "JSON", "CCompression", "Crypto", "HTTPTypes", "HummingbirdCore", "ServiceLifecycle",
        "Logging", "NIOCore", "NIOPosix", "UnixSignals"),
    // The page of `homing dashboard`. It escapes text by itself: swift-mustache 2.1.1 leaves a quote with a combining accent as it is, and so lets
    // a name end an attribute.
    house(
        "Dashboard", "SyncModel", "CResources", "ControlAPI", "HTTPTypes", "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1",
        "NIOHTTPTypes", "NIOPosix", exclude: ["Resources"]),
    program("homingd", "SyncDaemon", "Backends", "ArgumentParser"),  // `Backends` has the reference of profiles.
    // `Backends` reads the file of `homing notify`.
    program("homing", "Backends", "ControlAPI", "Dashboard", "JSON", "Notifying", "SyncModel", "ArgumentParser", "Crypto"),
    program("homing-sandbox", "Sandbox", "ArgumentParser"),

    house("TestSupport", "SyncModel", "Logging", in: "Tests"),
    // A store of its own, for the tests of the outbox and of the salvage.
    house("StoreSupport", "Outbox", "SyncModel", "TestSupport", "Vault", "GRDB", in: "Tests"),
    house("MailSupport", "NIOCore", "NIOPosix", in: "Tests"),  // A scripted mail server.
    // A station of the real programs, for end-to-end tests and campaigns.
    house("StationSupport", "ControlAPI", "Sandbox", "SyncModel", "TestSupport", "Crypto", in: "Tests"),
    // Records a program's file operations and kills it at a chosen point, from inside (LD_PRELOAD).
    .target(name: "CRecorder", path: "Tests/CRecorder"),
    .target(name: "CIdentity", path: "Tests/CIdentity"),  // Connects to a Unix socket as another user, in one thread of a process.
    // Simulated worlds (network, backends, people) for the delivery core over the real outbox, for tests and campaigns.
    house("Simulation", "SyncModel", "Vault", "Outbox", "Salvage", "Backends", "Sessions", "Delivery", "TestSupport", in: "Tests"),
    // Tries to break every guarantee for a given time; not installed.
    program(
        "homing-torture", "StationSupport", "Simulation", "TestSupport", "ControlAPI", "Sandbox", "SyncModel", "JSON", "SyncDaemon",
        "Vault", "Outbox", "Salvage", "Delivery", "Backends", "Sessions", "Capture", "CIdentity", "ArgumentParser", "GRDB", "NIOCore",
        "NIOPosix", "NIOSSL", "SystemPackage", path: "Tests/Torture"),
    tests("SyncModel", "SyncModel"),
    tests("Files", "Files", "SystemPackage"),
    tests("Vault", "Vault", "Files", "CCompression", "Crypto"),
    tests("JSON", "JSON", "SyncModel"),
    tests("Outbox", "Outbox", "StoreSupport", "SyncModel", "Vault", "Crypto", "GRDB", "GRDBSQLite"),
    tests("Salvage", "Salvage", "Outbox", "StoreSupport", "SyncModel", "Vault", "GRDB"),
    tests("Mail", "Mail", "MailSupport", "NIOCore"),
    tests("Capture", "Capture", "Files", "JSON", "Outbox", "StoreSupport", "SyncModel", "Vault", "Logging", "SystemPackage"),
    tests(
        "Backends", "Backends", "Sessions", "Outbox", "SyncModel", "JSON", "Vault", "CCompression", "GRDB", "Logging", "NIOCore",
        "NIOEmbedded", "NIOPosix", "NIOSSL", resources: [.copy("Fixtures")]),
    tests("Roster", "Roster", "Outbox", "Backends", "Sessions", "StoreSupport", "SyncModel"),
    tests("Delivery", "Delivery", "Outbox", "Backends", "Sessions", "Roster", "Simulation", "StoreSupport", "SyncModel"),
    tests(
        "ControlServer", "ControlServer", "ControlAPI", "AsyncHTTPClient", "HTTPTypes", "ServiceLifecycle", "Logging", "NIOCore",
        "NIOEmbedded", "NIOHTTP1", "NIOHTTPTypes", "Yams"),
    tests(
        "SyncDaemon", "SyncDaemon", "Mail", "MailSupport", "Notifying", "Logging", "Outbox", "Salvage", "Capture", "Delivery", "Roster",
        "Backends", "Sessions", "StoreSupport", "SyncModel", "Vault", "ControlAPI", "ControlServer", "Sandbox", "Yams"),
    tests("Sandbox", "Sandbox", "Capture", "JSON", "SyncModel", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", resources: [.copy("Fixtures")]),
    tests(
        "Dashboard", "Dashboard", "ControlAPI", "SyncModel", "AsyncHTTPClient", "HTTPTypes", "HummingbirdCore", "Logging", "NIOCore",
        "NIOHTTP1", "NIOPosix"),
    tests("homing", "homing", "ControlAPI", "ControlServer", "Notifying", "SyncModel"),
    tests(
        "EndToEnd", "homingd", "homing", "homing-sandbox", "homing-torture", "ControlAPI", "ControlServer", "Delivery", "Sandbox",
        "MailSupport", "StationSupport", "SyncDaemon", "SyncModel", "AsyncHTTPClient", "Crypto", "GRDB", "HTTPTypes", "Logging",
        "NIOCore", "NIOHTTP1", "NIOPosix", exclude: ["Integrations/submit.py", "Integrations/submit.sh"]),
]

// `make races` and `make mutants` build only the test targets that they run.
let chosen = Context.environment["HOMING_TESTS"]?.split(separator: " ").map { "\($0)Tests" }
let programs = chosen == nil ? ["homingd", "homing", "homing-sandbox"] : []

let package = Package(
    name: "Homing",
    products: programs.map { .executable(name: $0, targets: [$0]) } + [
        // Campaigns of homing-torture preload it into homingd; not installed.
        .library(name: "TortureRecorder", type: .dynamic, targets: ["CRecorder"])
    ],
    dependencies: packages.map { .package(url: "https://github.com/\($0.owner)/\($0.name).git", from: $0.from) },
    targets: targets.filter { chosen?.contains($0.name) ?? true || $0.type == .regular }
)
