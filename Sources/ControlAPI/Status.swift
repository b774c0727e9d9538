import Foundation

/// The state of the station.
public struct Status: Codable, Sendable, Equatable {
    /// One sentence: whether all data was delivered.
    public var sentence: String
    /// Problems that need a person, most serious first.
    public var attention: [Attention]
    public var backends: [BackendReport]
    public var spool: SpoolReport?
    public var version: String
    public var startedAt: Date
    /// The newest event's cursor.
    public var cursor: Int64

    public init(
        sentence: String, attention: [Attention], backends: [BackendReport], spool: SpoolReport?, version: String, startedAt: Date,
        cursor: Int64
    ) {
        self.sentence = sentence
        self.attention = attention
        self.backends = backends
        self.spool = spool
        self.version = version
        self.startedAt = startedAt
        self.cursor = cursor
    }
}

public struct Attention: Codable, Sendable, Equatable {
    /// Stable: one of `Code`. New codes may be added.
    public var code: String
    public var text: String
    /// The next step, as sentences and commands.
    public var next: String
    /// Nil for the whole station.
    public var backend: String?
    /// The values that the text names.
    public var facts: SentenceFacts?

    public init(code: String, text: String, next: String, backend: String? = nil) {
        self.backend = backend
        self.code = code
        self.text = text
        self.next = next
    }
}
