import Foundation

/// The two simulated endpoints of Firebase, at their own paths and under the emulator's prefixes.
enum FirebaseRoute: Equatable {
    case signInWithPassword, token

    init?(_ request: SandboxRequest) {
        guard request.method == "POST" else { return nil }
        switch request.path.removingPercentEncoding ?? request.path {
        case "/v1/accounts:signInWithPassword", "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword": self = .signInWithPassword
        case "/v1/token", "/securetoken.googleapis.com/v1/token": self = .token
        default: return nil
        }
    }
}
