import SyncModel

package protocol Transport: Sendable {
    /// Returns the response with any status.
    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse
    /// Opens a connection as for a request, and ends it.
    func connect(to url: String) async throws(TransportError)
}

package enum TransportError: Error, Hashable, Sendable {
    /// The request certainly reached no server.
    case unreachable(Failure)
    /// The request may have been sent, but no complete response arrived. With a status, the request was not safe, and the head of a success arrived,
    /// which said that the body is JSON; the body did not arrive whole.
    case lost(Failure)

    package var failure: Failure {
        switch self {
        case .unreachable(let failure), .lost(let failure): failure
        }
    }
}
