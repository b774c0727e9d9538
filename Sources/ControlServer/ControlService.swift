import ControlAPI

/// What the daemon does for each call. Add an endpoint here and the compiler asks for the rest.
package protocol ControlService: Sendable {
    func status(_ request: NoInput, by peer: Peer) async throws(Problem) -> Status
    func sessions(_ request: NoInput, by peer: Peer) async throws(Problem) -> SessionList
    func signIn(_ request: SignIn, by peer: Peer) async throws(Problem) -> SessionReport
    func signOut(_ request: SignOut, by peer: Peer) async throws(Problem) -> SignOutReport
    /// Returns only once the submission is safe on disk.
    func submit(_ request: Submission, by peer: Peer) async throws(Problem) -> SubmissionReceipt
    func entries(_ request: EntryQuery, by peer: Peer) async throws(Problem) -> EntryPage
    func entry(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntryDetail
    func why(_ request: EntryReference, by peer: Peer) async throws(Problem) -> Explanation
    func retry(_ request: RetryRequest, by peer: Peer) async throws(Problem) -> EntrySummary
    func discard(_ request: EntryReference, by peer: Peer) async throws(Problem) -> EntrySummary
    func sync(_ request: SyncRequest, by peer: Peer) async throws(Problem) -> SyncReport
    /// Takes what was dropped while no account was signed in for the account that is signed in now.
    func claim(_ request: NoInput, by peer: Peer) async throws(Problem) -> ClaimReport
    func pause(_ request: PauseRequest, by peer: Peer) async throws(Problem) -> PauseList
    func resume(_ request: ResumeRequest, by peer: Peer) async throws(Problem) -> PauseList
    func receipts(_ request: ReceiptQuery, by peer: Peer) async throws(Problem) -> ReceiptPage
    func receipt(_ request: EntryReference, by peer: Peer) async throws(Problem) -> ReceiptReport
    func lanes(_ request: LaneQuery, by peer: Peer) async throws(Problem) -> LaneList
    /// Events in order, in batches; the stream ends where `follow` is false and there are no more, and when the daemon stops.
    func events(_ request: EventQuery, by peer: Peer) async throws(Problem) -> AsyncStream<[Event]>
    /// Notes that a call, named by its method and path, was refused for want of a role.
    func denied(_ call: String, by peer: Peer) async
}
