import Foundation

/// Keeps the route and the payload.
public struct FixRequest: WireRequest {
    /// An entry's name, in the forms of `EntryReference.id`.
    public var id: String
    /// Chosen by the client; nil to mint one.
    public var newID: String?
    /// The changed fields, as in `Submission`; the others stay.
    public var fields: [String: String]
    /// True refuses an unlisted id; see `Submission.strict`.
    public var strict: Bool

    public init(id: String, newID: String? = nil, fields: [String: String], strict: Bool = false) {
        self.id = id
        self.newID = newID
        self.fields = fields
        self.strict = strict
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["id", "new_id", "strict", "item.*"])
        let fields = reader.items
        guard !fields.isEmpty else {
            throw .invalid("No changed field is given.", next: "Give each one as a parameter, for example item.user_id=7.")
        }
        self.init(
            id: try reader.required("id"), newID: reader.text("new_id"), fields: fields, strict: try reader.flag("strict"))
    }

    public var parameters: [String: String] {
        var all = ParameterReader.parameters(ofItems: fields)
        all["id"] = id
        all["new_id"] = newID
        if strict { all["strict"] = "true" }
        return all
    }
}

/// Settles an unknown outcome by a person's word.
public struct ResolveRequest: WireRequest {
    /// An entry's name, in the forms of `EntryReference.id`.
    public var id: String
    /// The server's id of a delivered row, if known.
    public var remoteID: String?
    public var delivered: Bool

    public init(id: String, remoteID: String? = nil, delivered: Bool) {
        self.id = id
        self.remoteID = delivered ? remoteID : nil
        self.delivered = delivered
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["id", "delivered", "not_delivered"])
        let remoteID = reader.text("delivered")
        guard try reader.flag("not_delivered") == (remoteID == nil) else {
            throw .invalid(
                "Give one of ‘delivered’ and ‘not_delivered’.",
                next: "If the server has it, pass its id there, or nothing: delivered=17 or delivered=. If not, pass not_delivered=true.")
        }
        self.init(
            id: try reader.required("id"), remoteID: remoteID.flatMap { $0.isEmpty ? nil : $0 }, delivered: remoteID != nil)
    }

    public var parameters: [String: String] {
        var all = ["id": id, "not_delivered": String(!delivered)]
        if delivered { all["delivered"] = remoteID ?? "" }
        return all
    }
}

/// Destroys an entry's content, at once or after a grace.
public struct DiscardRequest: WireRequest {
    /// An entry's name, in the forms of `EntryReference.id`.
    public var id: String
    /// Seconds until the payload is destroyed, 0 to 86,400.
    public var grace: Int
    /// A person's words for the event, at most 200 characters.
    public var reason: String?

    public init(id: String, grace: Int = 0, reason: String? = nil) {
        self.id = id
        self.grace = grace
        self.reason = reason
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["id", "grace", "reason"])
        let reason = reader.text("reason")?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (reason ?? "").count <= Self.longestReason else {
            throw Problem.invalid("The reason has \(reason?.count ?? 0) characters; expected at most \(Self.longestReason).")
                .stating(.reasonTooLong) { ($0.count, $0.limit) = (reason?.count, Self.longestReason) }
        }
        self.init(
            id: try reader.required("id"), grace: Int(try reader.integer("grace", in: 0...86_400) ?? 0),
            reason: reason.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// In characters.
    public static let longestReason = 200
    /// The usual grace of a discard, in seconds.
    package static let usualGrace = 600

    public var parameters: [String: String] {
        var all = ["id": id]
        if grace > 0 { all["grace"] = String(grace) }
        all["reason"] = reason
        return all
    }
}

/// An undelivered entry with its content.
public struct ExportedEntry: Codable, Sendable, Equatable {
    public var entry: EntrySummary
    /// All fields of the item; numbers as text.
    public var fields: [String: String]
    /// The JSON text, byte for byte as submitted.
    public var payload: String?

    public init(entry: EntrySummary, fields: [String: String], payload: String?) {
        self.entry = entry
        self.fields = fields
        self.payload = payload
    }
}
