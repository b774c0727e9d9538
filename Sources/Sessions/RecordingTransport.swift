import Backends
import Foundation
import SyncModel
import Synchronization

/// Records whether a request may have arrived, and the latest Retry-After.
final class RecordingTransport: Transport {
    private let transport: any Transport
    private let clock: any SyncClock
    private let seen = Mutex<(arrived: Bool, until: Date?)>((false, nil))

    init(_ transport: any Transport, clock: any SyncClock) { (self.transport, self.clock) = (transport, clock) }

    var mayHaveArrived: Bool { seen.withLock { $0.arrived } }
    var askedToWait: Date? { seen.withLock { $0.until } }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        do {
            let response = try await transport.send(request)
            seen.withLock { [now = clock.now] in $0 = (true, RetryAfter.read(response, now: now)) }
            return response
        } catch {
            if case .lost = error { seen.withLock { $0.arrived = true } }
            throw error
        }
    }
}
