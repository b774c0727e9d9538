import Sandbox

/// A day at a station with one backend: sign in, lose the network, submit, return to a backend that misbehaves, and compare the books.
protocol Story {
    var backend: SandboxBackend { get }
    var profile: String { get }
    var route: String { get }

    /// Tells the story; true if the books agree at the end.
    func tell(_ day: Day) async throws -> Bool
}

struct Change {
    /// A description, in the words of the story.
    let words: String
    /// The fields or file that the backend must have stored at the end.
    let document: JSONObject

    init(_ words: String, _ document: JSONObject) {
        self.words = words
        self.document = document
    }
}
