import ControlAPI
import ControlServer
import Foundation
import Synchronization

/// Answers each call with the sample of its response, and records the requests.
final class FakeService: Sendable {
    struct Received: Equatable {
        var call: String
        var parameters: [String: String]
        var body: Data?

        init<Input, Output>(_ endpoint: Endpoint<Input, Output>, parameters: [String: String] = [:], body: Data? = nil) {
            call = "\(endpoint.method.rawValue) \(endpoint.path)"
            (self.parameters, self.body) = (parameters, body)
        }
    }

    private let state = Mutex<(calls: [Received], callers: [Caller], denials: [String])>(([], [], []))
    private let error: (any Error)?
    private let isDuplicate: Bool
    private let oldest: Int64
    private let laterParts: (@Sendable () throws -> [UInt8])?
    private let sent = Mutex(0)
    private let stream: AsyncStream<[Event]>
    let continuation: AsyncStream<[Event]>.Continuation

    static let day = Date(timeIntervalSince1970: 1_765_000_000.123)
    static let parts = ["SQLite format 3", "the rest"].map { Array($0.utf8) }

    /// - Parameter laterParts: of a backup, after the first one.
    init(
        error: (any Error)? = nil, isDuplicate: Bool = false, oldest: Int64 = 0, laterParts: (@Sendable () throws -> [UInt8])? = nil
    ) {
        self.laterParts = laterParts
        self.oldest = oldest
        self.error = error
        self.isDuplicate = isDuplicate
        (stream, continuation) = AsyncStream.makeStream()
    }

    var calls: [Received] { state.withLock { $0.calls } }
    var denials: [String] { state.withLock { $0.denials } }
    var callers: [Caller] { state.withLock { $0.callers } }

    var service: ControlService {
        ControlService(calls: answers) { call, _ in self.state.withLock { $0.denials.append(call) } }
    }

    private var answers: [Call] {
        [
            call(Endpoints.status), call(Endpoints.doctor), call(Endpoints.sessions), call(Endpoints.signIn), call(Endpoints.signOut),
            call(Endpoints.submit) { [isDuplicate] in $0.duplicate = isDuplicate }, call(Endpoints.entries), call(Endpoints.entry),
            call(Endpoints.why), call(Endpoints.retry), call(Endpoints.fix), call(Endpoints.resolve), call(Endpoints.discard),
            call(Endpoints.restore), call(Endpoints.export), call(Endpoints.key), call(Endpoints.rotateKey), call(Endpoints.copyKey),
            call(Endpoints.sync), call(Endpoints.claim), call(Endpoints.refusedFiles), call(Endpoints.discardFile),
            call(Endpoints.pause), call(Endpoints.resume),
            call(Endpoints.receipts), call(Endpoints.receipt), call(Endpoints.stats), call(Endpoints.audit), call(Endpoints.lanes),
            call(Endpoints.backends), call(Endpoints.rosters), call(Endpoints.roster), call(Endpoints.refreshRoster),
            .backup { request, caller in try self.backup(request, caller) },
            .events { query, caller in try self.events(query, caller) },
            .openapi,
        ]
    }

    private func call<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, _ change: @escaping @Sendable (inout Output) -> Void = { _ in }
    ) -> Call {
        Call(endpoint) { request, caller in
            try self.note(endpoint, request, caller)
            var answer = try WireSamples.full(Output.self)
            change(&answer)
            return answer
        }
    }

    private func note<Input, Output>(_ endpoint: Endpoint<Input, Output>, _ request: Input, _ caller: Caller) throws {
        state.withLock {
            $0.calls.append(Received(endpoint, parameters: request.parameters, body: request.body))
            $0.callers.append(caller)
        }
        if let error { throw error }
    }

    private func backup(_ request: NoInput, _ caller: Caller) throws -> Download {
        try note(Endpoints.backup, request, caller)
        return Download(size: Self.parts.map(\.count).reduce(0, +), next: rest)
    }

    @Sendable private func rest() throws -> [UInt8] {
        let number = sent.withLock { number in
            defer { number += 1 }
            return number
        }
        if number > 0, let laterParts { return try laterParts() }
        return number < Self.parts.count ? Self.parts[number] : []
    }

    private func events(_ query: EventQuery, _ caller: Caller) throws -> AsyncStream<[Event]> {
        try note(Endpoints.events, query, caller)
        if query.since ?? oldest < oldest { throw Problem(.eventsPruned, status: 410, title: "", detail: "Gone.", oldest: oldest) }
        return stream
    }
}
