import ControlAPI
import SyncModel

extension BackendReport {
    /// Why the gate is cooling; nil if it is not.
    var coolingCause: Failure.Reason? { knownGate == .cooling ? gateCause.flatMap(Failure.Reason.init) : nil }
}

struct CoolingText {
    let reason: Failure.Reason
    let message: String
    /// The signed-in account, if the caller may see it.
    var who = "an account"

    /// Follows "because"; without a full stop.
    var cause: String {
        switch reason {
        case .throttled: "the backend asked Homing to wait"
        case .signInRequired: "the session cannot be renewed yet"
        case .stillUnauthorized: "the backend refuses entry after entry, although \(who) is signed in"
        case .tls: "no secure connection to the backend can be made"
        case .clock: "the backend’s certificate is not valid by this station’s clock"
        case .intercepted: "the answer does not come from the backend"
        case .offline: "the backend cannot be reached"
        case .lostAnswer: "the connection ended or timed out before the backend answered"
        case .profile: "the backend does not match its profile"
        case .refused, .misplaced, .forbidden: "the backend refused an entry"
        default: "the backend is not working properly"
        }
    }

    var sentence: String { "\(cause.prefix(1).uppercased() + cause.dropFirst()): \(message.asSentence)" }

    /// The clause about `count` safe captures: `wait for the network: …`.
    func waits(_ count: Int) -> String {
        let wait = Count(count).wait
        return reason == .offline ? "\(wait) for the network: \(message)" : "\(wait), because \(cause): \(message)"
    }

    /// The remedy for a fault on the way to the backend. It ends with `then`, such as `run: homing sync`.
    func remedy(then: String) -> String? {
        switch reason {
        case .tls: "Tell the administrator of the network or the backend. Once this is fixed, \(then)"
        case .clock: "If the station’s clock is right, tell the administrator of the backend. Otherwise set the clock; then \(then)"
        case .intercepted:
            "If the message names a proxy, tell the administrator of this station. Otherwise open a browser on this station and sign in to the network; then \(then)"
        case .profile: "Tell the administrator of this station that the profile must be corrected. Signing in again does not help."
        default: nil
        }
    }
}
