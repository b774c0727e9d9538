import ControlAPI
import ControlServer
import Foundation
import Synchronization

final class FakeService: ControlService {
    struct Call: Equatable {
        var name: String
        var parameters: [String: String] = [:]
        var body: Data?
    }

    private let state = Mutex<(calls: [Call], peers: [Peer], denials: [String])>(([], [], []))
    let problem: Problem?
    let isDuplicate: Bool
    let oldest: Int64
    let stream: AsyncStream<[Event]>
    let continuation: AsyncStream<[Event]>.Continuation

    init(problem: Problem? = nil, isDuplicate: Bool = false, oldest: Int64 = 0) {
        self.oldest = oldest
        self.problem = problem
        self.isDuplicate = isDuplicate
        (stream, continuation) = AsyncStream.makeStream()
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var denials: [String] { state.withLock { $0.denials } }
    var peers: [Peer] { state.withLock { $0.peers } }

    private func note(_ name: String, _ request: some WireRequest, _ peer: Peer) throws(Problem) {
        state.withLock {
            $0.calls.append(Call(name: name, parameters: request.parameters, body: request.body))
            $0.peers.append(peer)
        }
        if let problem { throw problem }
    }

    static let day = Date(timeIntervalSince1970: 1_765_000_000.123)
    static let summary: EntrySummary = {
        var entry = EntrySummary(
            sequence: 7, id: "00000000-0000-7000-8000-000000000001", backend: "breathesafe", account: "1", route: "measurement",
            lane: "users/5", state: "pending", capturedAt: day)
        (entry.dueAt, entry.canBeLookedUp, entry.size) = (day, true, 12)
        return entry
    }()
    static let session = SessionReport(backend: "breathesafe", state: "signedIn", account: "1", email: "ann@lab.test", since: day)
    static let status = Status(
        sentence: "Ready.", attention: [], backends: [], spool: nil, version: "1", startedAt: day, cursor: 3)

    func status(_ request: NoInput, by peer: Peer) async throws(Problem) -> Status {
        try note("status", request, peer)
        return Self.status
    }
    func sessions(_ request: NoInput, by peer: Peer) async throws(Problem) -> SessionList {
        try note("sessions", request, peer)
        return SessionList(sessions: [Self.session])
    }
    func signIn(_ request: SignIn, by peer: Peer) async throws(Problem) -> SessionReport {
        try note("signIn", request, peer)
        return Self.session
    }
    func signOut(_ request: SignOut, by peer: Peer) async throws(Problem) -> SignOutReport {
        try note("signOut", request, peer)
        return SignOutReport(backend: "breathesafe", local: "cleared", server: "ended", waiting: 2)
    }
    func submit(_ request: Submission, by peer: Peer) async throws(Problem) -> SubmissionReceipt {
        try note("submit", request, peer)
        return SubmissionReceipt(
            id: Self.summary.id, sequence: 7, duplicate: isDuplicate, backend: "breathesafe", account: "1", lane: "users/5")
    }
    func entries(_ request: EntryQuery, by peer: Peer) async throws(Problem) -> EntryPage {
        try note("entries", request, peer)
        return EntryPage(entries: [Self.summary], next: 7)
    }
    func entry(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntryDetail {
        try note("entry", request, peer)
        return EntryDetail(entry: Self.summary, attempts: [])
    }
    func why(_ request: EntryReference, by peer: Peer) async throws(Problem) -> Explanation {
        try note("why", request, peer)
        return Explanation(id: request.id, state: "pending", sentence: "It is next in its lane.", next: nil)
    }
    func retry(_ request: RetryRequest, by peer: Peer) async throws(Problem) -> EntrySummary {
        try note("retry", request, peer)
        return Self.summary
    }
    func discard(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntrySummary {
        try note("discard", request, peer)
        return Self.summary
    }
    func sync(_ request: SyncRequest, by peer: Peer) async throws(Problem) -> SyncReport {
        try note("sync", request, peer)
        return SyncReport(waiting: 4, cursor: 3, obstacle: nil)
    }
    static let pause = PauseReport(backend: "breathesafe", reason: "backup", since: day, until: nil, by: "ann")
    static let receipt = ReceiptReport(
        sequence: 7, id: summary.id, outcome: "delivered", capturedAt: day, settledAt: day, backend: "breathesafe", account: "1",
        email: "ann@lab.test", lane: "users/5", route: "measurement", remoteID: "811", status: 201, foundByLookup: false, attempts: 0,
        size: 12, discardedBy: nil)
    static let lane = LaneReport(
        backend: "breathesafe", account: "1", email: "ann@lab.test", lane: "users/5", head: summary.id, state: "pending", capturedAt: day,
        dueAt: nil, waiting: 2)

    func claim(_ request: NoInput, by peer: Peer) async throws(Problem) -> ClaimReport {
        try note("claim", request, peer)
        return ClaimReport(files: 3, backend: "breathesafe", account: "1", email: "ann@lab.test")
    }
    func pause(_ request: PauseRequest, by peer: Peer) async throws(Problem) -> PauseList {
        try note("pause", request, peer)
        return PauseList(pauses: [Self.pause], inflight: 1)
    }
    func resume(_ request: ResumeRequest, by peer: Peer) async throws(Problem) -> PauseList {
        try note("resume", request, peer)
        return PauseList(pauses: [], inflight: 0)
    }
    func receipts(_ request: ReceiptQuery, by peer: Peer) async throws(Problem) -> ReceiptPage {
        try note("receipts", request, peer)
        return ReceiptPage(receipts: [Self.receipt], next: 7)
    }
    func receipt(_ request: EntryReference, by peer: Peer) async throws(Problem) -> ReceiptReport {
        try note("receipt", request, peer)
        return Self.receipt
    }
    func lanes(_ request: LaneQuery, by peer: Peer) async throws(Problem) -> LaneList {
        try note("lanes", request, peer)
        return LaneList(lanes: [Self.lane])
    }
    func events(_ request: EventQuery, by peer: Peer) async throws(Problem) -> AsyncStream<[Event]> {
        try note("events", request, peer)
        if request.since ?? oldest < oldest { throw Problem(.eventsPruned, status: 410, title: "", detail: "Gone.", oldest: oldest) }
        return stream
    }
    func denied(_ call: String, by peer: Peer) async { state.withLock { $0.denials.append(call) } }
}
