import CSystemLinux
import Delivery
@preconcurrency import Dispatch
import Foundation
import Glibc
import Logging
import Outbox
import ServiceLifecycle

/// Tells of changed links, addresses or routes, as a hint to retry.
struct NetworkWatch: Service {
    let dispatcher: Dispatcher
    let notifications: Signal
    let log: Logger

    func run() async throws {
        let descriptor = homing_open_route_socket()
        guard descriptor >= 0 else {
            // The next probe detects changes instead.
            log.info("Network changes cannot be watched", metadata: ["error": "\(String(cString: strerror(errno)))"])
            return try await gracefulShutdown()
        }
        for await _ in Self.changes(descriptor).cancelOnGracefulShutdown() {
            dispatcher.networkChanged()
            notifications.send()
            // Plugging in a cable causes dozens of changes.
            try? await Task.sleep(for: Self.pause)  // `try?`: on cancellation the loop ends
        }
    }

    private static let pause = Duration.seconds(2)

    /// Bursts of changes as single values. Closes the descriptor when the consumer ends.
    private static func changes(_ descriptor: Int32) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "network"))
        source.setEventHandler {
            withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
                while recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 {}
            }
            continuation.yield()
        }
        source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in source.cancel() }
        source.resume()
        return stream
    }
}
