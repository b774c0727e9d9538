import SyncModel

/// Carries one request to a server and brings its answer, whatever that says.
package protocol Transport: Sendable {
    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse
}

/// Why there is no complete answer.
package enum TransportError: Error, Hashable, Sendable {
    /// The request certainly never reached a server.
    case unreachable(Failure)
    /// Bytes may have been sent, and no complete answer came back.
    case lost(Failure)

    package var failure: Failure {
        switch self {
        case .unreachable(let failure), .lost(let failure): failure
        }
    }
}
