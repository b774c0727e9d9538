import Backends
import Foundation
import Synchronization

final class RequestRecorder: Transport {
    private let noted = Mutex<[OutboundRequest]>([])
    private let response: InboundResponse

    init(_ response: InboundResponse) { self.response = response }

    var requests: [OutboundRequest] { noted.withLock(\.self) }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        noted.withLock { $0.append(request) }
        return response
    }

    func connect(to url: String) async throws(TransportError) {}
}
