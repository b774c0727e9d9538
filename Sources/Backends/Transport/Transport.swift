import SyncModel

/// Returns the response with any status.
package protocol Transport: Sendable {
    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse
}

package enum TransportError: Error, Hashable, Sendable {
    /// The request certainly reached no server.
    case unreachable(Failure)
    /// The request may have been sent, but no complete response arrived.
    case lost(Failure)

    package var failure: Failure {
        switch self {
        case .unreachable(let failure), .lost(let failure): failure
        }
    }
}
