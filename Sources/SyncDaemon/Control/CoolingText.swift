import SyncModel

struct CoolingText {
    let reason: Failure.Reason
    let message: String
    /// The signed-in account, if the caller may see it.
    var who = "somebody"

    /// Follows "because"; without a full stop.
    var cause: String {
        switch reason {
        case .throttled: "the backend asked for quiet"
        case .signInRequired: "the session cannot be renewed yet"
        case .stillUnauthorized: "the backend refuses one entry after the other although \(who) is signed in"
        case .tls: "no secure connection to the backend can be made"
        case .clock: "the backend’s certificate does not fit this station’s clock"
        case .intercepted: "a login page or a proxy answers in the backend’s place"
        case .offline: "the backend cannot be reached"
        case .lostAnswer: "the backend broke off or fell silent before it had answered"
        case .profile: "the backend and its profile do not fit"
        case .refused, .forbidden: "the backend refused the last entry"
        default: "the backend is not well"
        }
    }

    var sentence: String { "\(cause.prefix(1).uppercased() + cause.dropFirst()): \(message.asSentence)" }

    /// What `count` captures that are safe here do: `wait for the network: …`.
    func waits(_ count: Int) -> String {
        let wait = count == 1 ? "waits" : "wait"
        return reason == .offline ? "\(wait) for the network: \(message)" : "\(wait), because \(cause): \(message)"
    }

    /// A remedy for a fault on the way to the backend, followed by `then`, such as `‘homing sync’ tries at once`; otherwise nil.
    func remedy(then: String) -> String? {
        switch reason {
        case .tls: "Tell whoever runs the network or the backend; when it is mended, \(then)."
        case .clock: "Set the station’s clock; then \(then). If it is right, tell whoever runs the backend."
        case .intercepted: "Open any page in a browser on this network and sign in to the network first; then \(then)."
        case .profile: "Tell whoever maintains the profile; signing in again does not help."
        default: nil
        }
    }
}
