import ControlAPI

/// Calls throw `ProblemConvertible` errors.
package protocol ControlService: Sendable {
    func status(_ request: NoInput, by caller: Caller) async throws -> Status
    func sessions(_ request: NoInput, by caller: Caller) async throws -> SessionList
    func signIn(_ request: SignIn, by caller: Caller) async throws -> SessionReport
    func signOut(_ request: SignOut, by caller: Caller) async throws -> SignOutReport
    /// Returns once the submission is durable.
    func submit(_ request: Submission, by caller: Caller) async throws -> SubmissionReceipt
    func entries(_ request: EntryQuery, by caller: Caller) async throws -> EntryPage
    func entry(_ request: EntryReference, by caller: Caller) async throws -> EntryDetail
    func why(_ request: EntryReference, by caller: Caller) async throws -> Explanation
    func retry(_ request: RetryRequest, by caller: Caller) async throws -> EntrySummary
    func fix(_ request: FixRequest, by caller: Caller) async throws -> SubmissionReceipt
    func resolve(_ request: ResolveRequest, by caller: Caller) async throws -> EntrySummary
    func discard(_ request: DiscardRequest, by caller: Caller) async throws -> EntrySummary
    func restore(_ request: EntryReference, by caller: Caller) async throws -> EntrySummary
    func export(_ request: EntryReference, by caller: Caller) async throws -> ExportedEntry
    /// Returns once the copy is made.
    func backup(_ request: NoInput, by caller: Caller) async throws -> Download
    func key(_ request: NoInput, by caller: Caller) async throws -> KeyReport
    /// Only for root and the daemon's user. Returns once the new keys are durable; the data is sealed again afterwards.
    func rotateKey(_ request: KeyRotation, by caller: Caller) async throws -> KeyReport
    /// Only for root and the daemon's user, and only while the key file is missing.
    func copyKey(_ request: NoInput, by caller: Caller) async throws -> KeyCopy
    func sync(_ request: SyncRequest, by caller: Caller) async throws -> SyncReport
    /// Assigns files dropped while signed out to the signed-in account.
    func claim(_ request: NoInput, by caller: Caller) async throws -> ClaimReport
    /// Destroys a refused file of the drop folder.
    func discardFile(_ request: FileDiscardRequest, by caller: Caller) async throws -> DiscardedFile
    func pause(_ request: PauseRequest, by caller: Caller) async throws -> PauseList
    func resume(_ request: ResumeRequest, by caller: Caller) async throws -> PauseList
    func receipts(_ request: ReceiptQuery, by caller: Caller) async throws -> ReceiptPage
    func receipt(_ request: EntryReference, by caller: Caller) async throws -> ReceiptReport
    /// Examines the station for administrators: opens a connection to each backend, and looks at files, the disk and the clock.
    func doctor(_ request: NoInput, by caller: Caller) async throws -> DoctorReport
    func stats(_ request: StatsQuery, by caller: Caller) async throws -> StatsReport
    func audit(_ request: AuditQuery, by caller: Caller) async throws -> AuditPage
    func lanes(_ request: LaneQuery, by caller: Caller) async throws -> LaneList
    func backends(_ request: NoInput, by caller: Caller) async throws -> BackendList
    func rosters(_ request: RosterListQuery, by caller: Caller) async throws -> RosterList
    /// Never waits for the network.
    func roster(_ request: RosterQuery, by caller: Caller) async throws -> RosterPage
    /// Returns when the read has ended, or after a minute.
    func refreshRoster(_ request: RosterReference, by caller: Caller) async throws -> RosterReport
    /// Batches of events in order. Ends when the daemon stops or, without `follow`, after the last event.
    func events(_ request: EventQuery, by caller: Caller) async throws -> AsyncStream<[Event]>
    /// Records that `call`, named by method and path, was refused for lack of a role.
    func denied(_ call: String, by peer: Peer) async
}
