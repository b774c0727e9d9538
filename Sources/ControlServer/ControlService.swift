import ControlAPI

/// The daemon's implementation of each call; the compiler requires one per endpoint.
package protocol ControlService: Sendable {
    func status(_ request: NoInput, by peer: Peer) async throws(Problem) -> Status
    func sessions(_ request: NoInput, by peer: Peer) async throws(Problem) -> SessionList
    func signIn(_ request: SignIn, by peer: Peer) async throws(Problem) -> SessionReport
    func signOut(_ request: SignOut, by peer: Peer) async throws(Problem) -> SignOutReport
    /// Returns once the submission is durable.
    func submit(_ request: Submission, by peer: Peer) async throws(Problem) -> SubmissionReceipt
    func entries(_ request: EntryQuery, by peer: Peer) async throws(Problem) -> EntryPage
    func entry(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntryDetail
    func why(_ request: EntryReference, by peer: Peer) async throws(Problem) -> Explanation
    func retry(_ request: RetryRequest, by peer: Peer) async throws(Problem) -> EntrySummary
    func discard(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntrySummary
    func sync(_ request: SyncRequest, by peer: Peer) async throws(Problem) -> SyncReport
    /// Assigns files dropped while signed out to the signed-in account.
    func claim(_ request: NoInput, by peer: Peer) async throws(Problem) -> ClaimReport
    func pause(_ request: PauseRequest, by peer: Peer) async throws(Problem) -> PauseList
    func resume(_ request: ResumeRequest, by peer: Peer) async throws(Problem) -> PauseList
    func receipts(_ request: ReceiptQuery, by peer: Peer) async throws(Problem) -> ReceiptPage
    func receipt(_ request: EntryReference, by peer: Peer) async throws(Problem) -> ReceiptReport
    func lanes(_ request: LaneQuery, by peer: Peer) async throws(Problem) -> LaneList
    /// Batches of events in order. The stream ends when the daemon stops or, without `follow`, after the last event.
    func events(_ request: EventQuery, by peer: Peer) async throws(Problem) -> AsyncStream<[Event]>
    /// Records that a call, named by method and path, was refused for lack of a role.
    func denied(_ call: String, by peer: Peer) async
}
