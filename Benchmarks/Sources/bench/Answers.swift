import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// The answers that the BreatheSafe profile expects, for the manager of `people`. Keeps no measurement, so a look-up finds none.
final class Answers: Sendable {
    struct State: Sendable {
        var requests = 0
        var measurements = 0
        /// From the network, in bytes.
        var received = 0
        /// Before the answer to a measurement.
        var delay: TimeAmount?
        var hidesPeople = false
        var people = Station.users.count
    }

    struct Answer: Sendable {
        var status = HTTPResponseStatus.ok
        var headers = HTTPHeaders()
        var body = ByteBuffer()
        var delay: TimeAmount?
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }
    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func answer(to head: HTTPRequestHead, _ body: ByteBuffer) -> Answer {
        change { $0.requests += 1 }
        let path = String(head.uri.prefix { $0 != "?" })
        var answer =
            switch (head.method, path) {
            case (.POST, _) where path.hasSuffix("/facial_measurements_from_arkit"): stored(body)
            case (.GET, _) where path.hasSuffix("/facial_measurements"): Self.json(#"{"facial_measurements":[],"messages":[]}"#)
            case (.POST, "/users/log_in"): Self.json(Self.manager, .created)
            case (.GET, "/users/get_current_user"): Self.json(#"{"currentUser":\#(Self.manager)}"#)
            case (.GET, "/csrf_token"): Self.json(#"{"csrf_token":"\#(Self.token)"}"#)
            case (.GET, "/managed_users"): people(head.uri)
            case (.GET, "/fit_tests"): Self.json(#"{"fit_tests":[],"messages":[]}"#)
            default: Self.json(#"{"status":404,"error":"Not Found"}"#, .notFound)
            }
        // BreatheSafe renews the session with nearly every answer.
        answer.headers = [
            "Content-Type": "application/json; charset=utf-8", "Content-Length": String(answer.body.readableBytes),
            "Set-Cookie": "CSRF-TOKEN=\(Self.token); path=/; samesite=lax",
            "Set-Cookie": "_breathesafe_session=\(now.requests)\(Self.sealed); path=/; httponly; samesite=lax",
        ]
        return answer
    }

    private static let manager = #"{"id":1,"email":"manager@lab.test"}"#
    private static let token = String(repeating: "t", count: 86)
    private static let sealed = String(repeating: "s", count: 400)

    private static func json(_ text: String, _ status: HTTPResponseStatus = .ok) -> Answer {
        Answer(status: status, body: ByteBuffer(string: text))
    }

    /// Repeats the document, as the profile's `echo` expects.
    private func stored(_ body: ByteBuffer) -> Answer {
        let (id, delay) = state.withLock { state in
            state.measurements += 1
            return (state.measurements, state.delay)
        }
        var answer = ByteBuffer()
        answer.reserveCapacity(body.readableBytes + 100)
        answer.writeString(#"{"facial_measurement":{"id":\#(id),"arkit":"#)
        // The body is {"arkit_data":DOCUMENT}.
        if let colon = body.readableBytesView.firstIndex(of: UInt8(ascii: ":")) {
            answer.writeBytes(body.readableBytesView[(colon + 1)...].dropLast())
        }
        answer.writeString(#"},"messages":[]}"#)
        return Answer(status: .created, body: answer, delay: delay)
    }

    /// A page of the list. The first person is Anna Example, the last one Nora Bench.
    private func people(_ uri: String) -> Answer {
        let state = now
        if state.hidesPeople { return Self.json(#"{"status":500,"error":"Internal Server Error"}"#, .internalServerError) }
        let query = URLComponents(string: uri)?.queryItems ?? []
        func number(_ name: String, or usual: Int) -> Int { query.first { $0.name == name }?.value.flatMap { Int($0) } ?? usual }
        let (page, size) = (number("page", or: 1), number("per_page", or: 25))
        let rows = (1...state.people).dropFirst((page - 1) * size).prefix(size).map { number in
            let name = number == 1 ? ("Anna", "Example") : number == state.people ? ("Nora", "Bench") : ("Person", String(number))
            return #"{"id":\#(number),"managed_id":\#(Station.users[0] + number - 1),"first_name":"\#(name.0)","#
                + #""last_name":"\#(name.1)","fm_percent_complete":0,"created_at":"2026-11-20T15:30:48.659Z"}"#
        }
        return Self.json(
            #"{"managed_users":[\#(rows.joined(separator: ","))],"messages":[],"total_count":\#(state.people),"page":\#(page),"#
                + #""per_page":\#(size)}"#)
    }
}
