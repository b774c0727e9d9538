public struct SyncReport: Codable, Sendable, Equatable {
    /// Entries waiting under the signed-in accounts.
    public var waiting: Int
    /// The newest event's cursor; later events belong to this sync.
    public var cursor: Int64
    /// Why some entries cannot be sent now and what to do: sentences, and commands that end their line.
    public var obstacle: String?
    /// Entries of accounts that are not signed in; nil for none.
    public var others: Int?

    public init(waiting: Int, cursor: Int64, obstacle: String?, others: Int? = nil) {
        self.waiting = waiting
        self.cursor = cursor
        self.obstacle = obstacle
        self.others = others
    }
}
