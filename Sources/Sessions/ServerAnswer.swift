/// A server's answer to a sign-out. The raw values are stored, and are in events and in the control channel.
enum ServerAnswer: String, Codable, Sendable {
    /// It has not answered yet.
    case unknown
    case ended
    /// The server had no such session.
    case alreadyGone
    case failed
    /// There was nothing to tell the server.
    case none

    /// True if the server may not have heard of the sign-out.
    var isUnheard: Bool {
        switch self {
        case .unknown, .failed: true
        case .ended, .alreadyGone, .none: false
        }
    }
}
