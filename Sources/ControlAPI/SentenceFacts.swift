import Foundation

/// The values that a sentence names, for programs that write it in another language. Nil for values that it does not name.
public struct SentenceFacts: Codable, Sendable, Equatable {
    /// The name of an account.
    public var account: String?
    /// A user of the station, or another account.
    public var person: String?
    /// The id of another entry, or a part of it.
    public var entry: String?
    /// The name of a row, a list or a kind of entry.
    public var name: String?
    /// The words of the list or of the kind of entry that `name` names.
    public var title: RosterTitle?
    /// The row that `name` names.
    public var subject: SubjectReport?
    /// A former address of the backend.
    public var address: String?
    /// A file or a folder.
    public var path: String?
    public var count: Int?
    public var limit: Int?
    /// Later entries that wait because their order matters.
    public var later: Int?
    /// Entries that need the row which this one creates.
    public var dependents: Int?
    /// True if a number is only the least one.
    public var least: Bool?
    public var bytes: Int64?
    /// The time of an event or of the next try.
    public var at: Date?
    public var since: Date?
    public var until: Date?
    /// Until the next sign-in that the server accepts, in seconds.
    public var wait: Int?
    /// The status of an HTTP response.
    public var status: Int?
    /// Why the backend cannot be used, as in `BackendReport.gateCause`; or another word that the code explains.
    public var reason: String?
    /// Words of a server, of a profile or of a person. Homing's own words are never here.
    public var words: String?

    public init() {}

    package init(_ set: (inout SentenceFacts) -> Void) { set(&self) }
}

extension Attention {
    /// Reasons in the facts: of `disk-full`, `unclaimed-files` and `sign-in-required`.
    package static let (nothingLeft, onHold, ended) = ("nothing-left", "on-hold", "ended")

    /// With the values of its text.
    package func stating(_ set: (inout SentenceFacts) -> Void) -> Attention {
        var copy = self
        copy.facts = SentenceFacts(set)
        return copy
    }
}

extension Problem {
    /// With the values of its detail.
    package func stating(_ set: (inout SentenceFacts) -> Void) -> Problem {
        var copy = self
        copy.facts = SentenceFacts(set)
        return copy
    }
}
