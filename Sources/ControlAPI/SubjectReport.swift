/// The row that an entry refers to, such as the measured person, or the one that it creates.
public struct SubjectReport: Codable, Sendable, Equatable {
    /// The list's name in the profile.
    public var resource: String
    /// The item field that holds the id.
    public var field: String
    /// The server's id; while the row is not created yet, `@` and the id of the entry that creates it.
    public var id: String
    /// The row's name in the stored list; nil if it is not there, and while the entry's account is not signed in.
    public var label: String?
    /// For a row that an entry has created: `@` and the id of that entry, as the field holds it.
    public var reference: String?
    /// True until the row is created; until then its label is the submitted one.
    public var isNew: Bool?
    /// How messages name such a row, such as `person`; nil unless it is new.
    public var title: String?

    public init(
        resource: String, field: String, id: String, label: String? = nil, reference: String? = nil, isNew: Bool? = nil
    ) {
        self.resource = resource
        self.field = field
        self.id = id
        self.label = label
        self.reference = reference
        self.isNew = isNew
    }

    /// `Anna Example (5)`, or the id alone. Two people may have one name, so the id is always there. For a new row `Anna Example (new)`, or `@` and a
    /// short id.
    public var text: String {
        if isNew == true { return label.map { "\($0) (new)" } ?? "@\(id.suffix(12))" }
        guard let label, !label.isEmpty, label != id else { return id }
        return "\(label) (\(id))"
    }
}
