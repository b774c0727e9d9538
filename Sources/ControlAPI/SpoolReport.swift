public struct SpoolReport: Codable, Sendable, Equatable {
    public var directory: String
    /// Files in `new/`, and taken files that are not stored yet, without those that are stuck.
    public var waiting: Int
    /// Files in `refused/`, each with its reason beside it.
    public var refused: Int
    /// Files that cannot be taken because of a system error or their type. They do not count as waiting.
    public var stuck: Int
    /// One of them; nil if none.
    public var stuckExample: StuckFile?
    /// Dropped while signed out and not claimed.
    public var unclaimed: Int
    /// Where the first of those was dropped: the path below `new/`, such as `users/5/a.json`; nil for none, and for observers.
    public var firstUnclaimed: String?
    /// The names of the first refused files; nil for none.
    public var refusedFiles: [String]?
    /// Where those were dropped, by name: the path below `new/`, such as `users/5/a.json`; without those whose place is not known.
    public var refusedPlaces: [String: String]?

    public init(
        directory: String, waiting: Int, refused: Int, stuck: Int = 0, stuckExample: StuckFile? = nil, unclaimed: Int = 0,
        refusedFiles: [String]? = nil
    ) {
        self.directory = directory
        self.waiting = waiting
        self.refused = refused
        self.stuck = stuck
        self.stuckExample = stuckExample
        self.unclaimed = unclaimed
        self.refusedFiles = refusedFiles
    }

    public struct StuckFile: Codable, Sendable, Equatable {
        public var path: String
        /// Without a full stop; the system's error text if a system call failed.
        public var reason: String
        /// The next step, as a sentence.
        public var next: String
        /// The reason as a word. New ones may be added.
        public var cause: String?

        public init(path: String, reason: String, next: String, cause: String? = nil) {
            self.path = path
            self.reason = reason
            self.next = next
            self.cause = cause
        }
    }
}
