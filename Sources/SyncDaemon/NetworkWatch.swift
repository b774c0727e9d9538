import CSystemLinux
import Delivery
@preconcurrency import Dispatch
import Foundation
import Glibc
import Logging
import ServiceLifecycle

/// Tells the dispatcher when links, addresses or routes have changed: a hint to try again, never the proof that there is a network.
struct NetworkWatch: Service {
    let dispatcher: Dispatcher
    let log: Logger

    func run() async throws {
        let descriptor = homing_open_route_socket()
        guard descriptor >= 0 else {
            // Without the hint, the next probe finds out.
            log.info("Changes of the network cannot be watched", metadata: ["error": "\(String(cString: strerror(errno)))"])
            return try await gracefulShutdown()
        }
        for await _ in Self.changes(descriptor).cancelOnGracefulShutdown() {
            dispatcher.networkChanged()
            // A cable that is plugged in makes dozens of changes.
            try? await Task.sleep(for: Self.pause)  // `try?`: cancelled, the loop ends by itself
        }
    }

    private static let pause = Duration.seconds(2)

    /// Yields after every burst of changes, coalesced, and closes the descriptor when nobody listens any more.
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
