// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it measures the programs from outside, as their users meet them, and takes no part in the ordinary build.
let package = Package(
    name: "Benchmarks",
    products: [.library(name: "SyncCount", type: .dynamic, targets: ["CSyncCount"])],
    dependencies: [
        // The client that the daemon itself uses: what it does bare is what the daemon's deliveries are compared with.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        // Counts a program's fsyncs from inside it (LD_PRELOAD), without slowing it as a tracer would.
        .target(name: "CSyncCount"),
        .executableTarget(
            name: "bench",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "NIOCore", package: "swift-nio"),
            ], swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
)
