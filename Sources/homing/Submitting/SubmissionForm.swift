import ControlAPI
import Foundation

struct SubmissionForm {
    var backend: String?
    var route: String
    var id: String?
    var supersedes: String?
    /// The capture time of all submissions; nil to take it from each document.
    var capturedAt: Date?
    /// Refuse ids that are not in the stored list.
    var strict = false
    private let fields: [String: String]

    /// Throws if a field has two different values.
    init(backend: String?, route: String, items: [ItemField], id: String?, supersedes: String?) throws(Problem) {
        var fields: [String: String] = [:]
        for item in items {
            if let first = fields[item.name], first != item.value {
                throw .invalid("‘\(item.name)’ is given as ‘\(first)’ and as ‘\(item.value)’.", next: "Give it once.")
            }
            fields[item.name] = item.value
        }
        for (option, text) in [("--id", id), ("--supersedes", supersedes)] {
            if let text, UUID(uuidString: text) == nil {
                throw .invalid("\(option) is ‘\(text.printable)’; expected a UUID.", next: "Leave out \(option), or give a full UUID.")
            }
        }
        self.backend = backend
        self.route = route
        self.id = id
        self.supersedes = supersedes
        self.fields = fields
    }

    /// The submission with the given id or `mintedID`. `document` is nil for fields alone.
    func submission(of document: CaptureDocument?, named name: String, mintedID: UUID) throws(Problem) -> Submission {
        var fields = fields
        if let user = document?.userID {
            if let given = fields["user_id"], given != user {
                throw .invalid(
                    "\(name) was captured for user \(user), but the options say user \(given).",
                    next: "Leave --user out to send it for user \(user).")
            }
            fields["user_id"] = user
        }
        return Submission(
            backend: backend, route: route, id: (id ?? mintedID.uuidString).lowercased(), supersedes: supersedes?.lowercased(),
            fields: fields, payload: document?.payload, capturedAt: capturedAt ?? document?.capturedAt, strict: strict)
    }
}
