/// The response to a submission, sent after the entry is durable.
public struct SubmissionReceipt: Codable, Sendable, Equatable {
    public var id: String
    public var sequence: Int64
    /// The id already existed with the same content.
    public var duplicate: Bool
    public var backend: String
    public var account: String
    public var lane: String
    /// SHA-256 of the payload in lower-case hex. Homing does not keep it.
    public var sha256: String?
    public var subject: SubjectReport?
    /// A sentence about a probable mistake, such as a person who is not in the list, or a discard of the entry that has this id.
    public var warning: String?
    /// The id of a second entry, which gives the created row the payload.
    public var then: String?

    public init(id: String, sequence: Int64, duplicate: Bool, backend: String, account: String, lane: String, sha256: String? = nil) {
        self.sha256 = sha256
        self.id = id
        self.sequence = sequence
        self.duplicate = duplicate
        self.backend = backend
        self.account = account
        self.lane = lane
    }
}
