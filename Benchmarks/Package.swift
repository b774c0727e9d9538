// swift-tools-version: 6.2
import PackageDescription

// A separate package: it measures the release programs from outside and is not part of the ordinary build.
let package = Package(
    name: "Benchmarks",
    products: [.library(name: "SyncCount", type: .dynamic, targets: ["CSyncCount"])],
    dependencies: [
        // The daemon's HTTP client: its bare rate is the baseline for deliveries.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: [
        // Counts a program's fsync calls with LD_PRELOAD, which is faster than a tracer.
        .target(name: "CSyncCount"),
        .executableTarget(
            name: "bench",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
)
