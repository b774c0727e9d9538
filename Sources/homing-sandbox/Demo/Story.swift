import Sandbox

/// A day at a station that works with one backend.
///
/// All of them go alike: somebody signs in while there is a network; the network goes; what is handed in is safe; the network returns, and
/// the backend misbehaves in its own way; in the end the daemon's books lie beside the backend's.
protocol Story {
    /// The backend that the sandbox stands in for, with what is in it.
    var backend: SandboxBackend { get }
    /// The name of its shipped profile.
    var profile: String { get }
    /// The route of what is handed in.
    var route: String { get }

    /// Tells it all; true where the books agree at the end.
    func tell(_ day: Day) async throws -> Bool
}

/// Something that is handed in.
struct Change {
    /// What it is, in the words of the story.
    let words: String
    /// What the backend has to have stored in the end: the fields, or the file.
    let document: JSONObject

    init(_ words: String, _ document: JSONObject) {
        self.words = words
        self.document = document
    }
}
