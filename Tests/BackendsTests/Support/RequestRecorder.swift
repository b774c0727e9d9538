import Backends
import Foundation
import Synchronization

final class RequestRecorder: Transport {
    private let noted = Mutex<[OutboundRequest]>([])
    private let answer: InboundResponse

    init(_ answer: InboundResponse) { self.answer = answer }

    var requests: [OutboundRequest] { noted.withLock(\.self) }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        noted.withLock { $0.append(request) }
        return answer
    }

    func connect(to url: String) async throws(TransportError) {}
}
