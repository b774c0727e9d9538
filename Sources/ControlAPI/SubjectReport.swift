/// The row that an entry refers to, such as the measured person.
public struct SubjectReport: Codable, Sendable, Equatable {
    /// The list's name in the profile.
    public var resource: String
    /// The item field that holds the id.
    public var field: String
    /// The server's id.
    public var id: String
    /// The row's name in the stored list; nil if it is not there, and while the entry's account is not signed in.
    public var label: String?

    public init(resource: String, field: String, id: String, label: String? = nil) {
        self.resource = resource
        self.field = field
        self.id = id
        self.label = label
    }

    /// `Anna Example (5)`, or the id alone. Two people may have one name, so the id is always there.
    public var text: String {
        guard let label, !label.isEmpty, label != id else { return id }
        return "\(label) (\(id))"
    }
}
