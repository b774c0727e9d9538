/// The row that an entry refers to or creates, such as the measured person.
public struct SubjectReport: Codable, Sendable, Equatable {
    /// The list's name in the profile.
    public var resource: String
    /// The item field that holds the id.
    public var field: String
    /// The server's id; while the row is not created yet, `@` and the id of the entry that creates it.
    public var id: String
    /// The row's name; nil if it is not in the stored list, or the entry's account is not signed in.
    public var label: String?
    /// For a created row: `@` and the id of the entry, as the field holds it.
    public var reference: String?
    /// True until the row is created; its label is the submitted one.
    public var isNew: Bool?
    /// How messages name a new row, such as `person`.
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

    /// `Anna Example (5)`, always with the id, because two people may have one name. For a new row, `Anna Example (new)`.
    public var text: String {
        if isNew == true { return label.map { "\($0) (new)" } ?? "@\(id.suffix(12))" }
        guard let label, !label.isEmpty, label != id else { return id }
        return "\(label) (\(id))"
    }
}
