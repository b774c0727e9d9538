import Backends
import Foundation
import Synchronization

/// A server that notes what it is asked and gives one and the same answer.
final class RequestRecorder: Transport {
    private let noted = Mutex<[OutboundRequest]>([])
    private let answer: InboundResponse

    init(_ answer: InboundResponse) { self.answer = answer }

    var requests: [OutboundRequest] { noted.withLock(\.self) }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        noted.withLock { $0.append(request) }
        return answer
    }
}
