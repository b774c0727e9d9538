import Synchronization

/// Carries requests as another transport does, and remembers whether any of them may have arrived.
final class Witness: Transport {
    private let transport: any Transport
    private let arrived = Mutex(false)

    init(_ transport: any Transport) { self.transport = transport }

    var mayHaveArrived: Bool { arrived.withLock(\.self) }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        do {
            let response = try await transport.send(request)
            arrived.withLock { $0 = true }
            return response
        } catch {
            if case .lost = error { arrived.withLock { $0 = true } }
            throw error
        }
    }
}
