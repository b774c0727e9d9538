/// The two versions of Lists, and what their lists and tasks do differently.
enum ListsEdition: Sendable {
    /// The edition of the guide: responses are the rows themselves.
    case guide
    /// The edition of 2026: responses are wrapped, and errors have codes.
    case later

    var notFound: Refusal { Refusal(404, "not_found", self == .guide ? "Record not found" : "Not found") }

    var forbidden: Refusal {
        self == .guide ? Refusal(403, "", "Unauthorized") : Refusal(403, "not_authorized", "You are not authorized to perform this action")
    }

    /// The members of a task, each with its name in a request.
    var taskMembers: [(member: String, key: String)] {
        [("title", "title"), (self == .guide ? "description" : "note", "note"), ("due_at", "due_at"), ("priority", "priority")]
    }
}
