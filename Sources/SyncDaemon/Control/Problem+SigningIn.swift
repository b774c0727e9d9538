import Backends
import ControlAPI
import SyncModel
import Vault

extension Problem {
    init(_ error: AuthenticationError, signingInAt backend: Backend, by way: WayIn, _ commands: NextCommands) {
        let name = backend.name
        switch error {
        case .refused(let words):
            self.init(
                .signInRefused, status: 422, title: "Sign-in refused", detail: "\(name) refused the sign-in: \(words)",
                next: Self.afterRefusal(of: way, at: name, words, commands))
        case .undeclared(let failure):
            self.init(
                .signInRefused, status: 422, title: "Sign-in refused", detail: "\(name): \(failure.message.asSentence)",
                next: failure.status == 423
                    ? "Wait until the lock is over: a further try may prolong it. Whoever runs \(name) can lift it."
                    : Self.afterRefusal(of: way, at: name, failure.message, commands))
        case .locked(let words):
            self.init(
                .signInRefused, status: 422, title: "Sign-in refused", detail: "\(name) refused the sign-in: \(words)",
                next: "Wait until the lock is over: a further try may prolong it. Whoever runs \(name) can lift it.")
        case .secondFactor:
            let instead = backend.takesRefreshTokens ? ", or hand in a refresh token with ‘\(commands.login(by: .refreshToken))’" : ""
            self.init(
                .unsupported, status: 409, title: "Not possible there",
                detail: "This account needs a second factor, which Homing cannot give.", next: "Use an account without it\(instead).")
        case .unavailable(let failure), .tooSoon(_, let failure): self.init(failure, signingInAt: name)
        case .misbehaved(let words):
            self.init(
                .backendMisbehaved, status: 502, title: "Not signed in", detail: words,
                next: "Try again; if it stays so, tell whoever runs the backend.")
        case .signInRequired(let reason):
            self.init(
                .signInRequired, status: 409, title: "Nobody is signed in", detail: "Nobody is signed in at \(name): \(reason)",
                next: "Sign in with ‘\(commands.login)’.")
        case .unsupported(let words):
            // If the backend uses this sign-in method, only the profile can be wrong; the command would fail again.
            let isTheWay = way.means == backend.signInMeans
            self.init(
                .unsupported, status: 409, title: "Not possible there", detail: words,
                next: isTheWay
                    ? "Ask whoever maintains the profile \(name).yaml to put that right; trying again before does not help."
                    : "Sign in with ‘\(commands.login)’.")
        case .signingOut:
            self.init(
                .wrongState, status: 409, title: "Signing out", detail: "A sign-out is under way at \(name).",
                next: "Try again in a few seconds.")
        case .conflict(let account):
            self = .alreadySignedIn(account.label, at: name, logout: commands.logout)
        case .labelTaken(let label):
            self.init(
                .signInRefused, status: 422, title: "Sign-in refused",
                detail: "Nobody was signed in at \(name): \(label) is known here as the name of another account than the token’s.",
                next: "Hand in the same token again without --email, or with the name of the account that the token belongs to.")
        case .unnamed:
            self = .invalid(
                "Nobody was signed in: \(name) does not say whose a token is, so the account needs a name.",
                next: "Say whose it is with ‘\(commands.login(by: .token))’, and give the same name whenever the token is renewed.")
        case .unsaved(let error):
            self.init(
                .storageFailed, status: 507, title: "The session could not be stored", detail: error.description,
                next: "Make room on the disk and sign in again.")
        }
    }

    private static func afterRefusal(of way: WayIn, at backend: String, _ words: String, _ commands: NextCommands) -> String {
        switch way {
        case .password where words.isAboutTheAccount: "See to that first, or ask whoever runs \(backend); then sign in again."
        case .password: "Check the e-mail address and the password, and mind that too many wrong ones lock the account."
        case .refreshToken:
            "Sign in anew where \(backend) gives such tokens, and hand in the new one with ‘\(commands.login(by: .refreshToken))’."
        case .accessToken: "Have a new token made at \(backend), and hand it in with ‘\(commands.login(by: .token))’."
        }
    }

    /// The backend could not be asked, or did not answer about the person.
    private init(_ failure: Failure, signingInAt backend: String) {
        let remedy = CoolingText(reason: failure.reason, message: failure.message).remedy(then: "sign in here again")
        func unreachable(_ title: String, _ next: String) -> Problem {
            Problem(.backendUnreachable, status: 503, title: title, detail: failure.message, next: next)
        }
        switch failure.reason {
        case .stopping:
            self.init(
                .stopping, status: 503, title: "The daemon is stopping", detail: "The daemon was stopped before \(backend) had answered.",
                next: "Look at ‘homing status’ once it runs again, and sign in again if need be.")
        case .profile:
            self.init(
                .backendMisbehaved, status: 502, title: "Not signed in", detail: failure.message,
                next: "Tell whoever maintains the profile \(backend).yaml; trying again does not help.")
        case .throttled:
            self = unreachable(
                "Too many attempts",
                "Wait that long, or else a few minutes, before the next try; what is captured meanwhile waits.")
        case .tls, .clock, .intercepted: self = unreachable("The backend does not answer", remedy ?? "Try again later.")
        case .serverError, .tooLarge:
            self = unreachable("The backend is not well", "Try again in a few minutes; what is captured meanwhile waits.")
        default:
            self = unreachable(
                "The backend does not answer", "Signing in needs the network. Try again when it is there; what is captured meanwhile waits."
            )
        }
    }
}

extension String {
    /// Whether the refusal concerns the account's state, such as unconfirmed, and not the password.
    fileprivate var isAboutTheAccount: Bool {
        let stems = ["confirm", "unconfirm", "verif", "unverif", "activ", "inactiv", "deactiv", "disabl", "suspend", "approv", "switched"]
        let words = lowercased().split { !$0.isLetter }
        return !words.contains("password") && words.contains { word in stems.contains { word.hasPrefix($0) } }
    }
}

extension WayIn {
    fileprivate var means: SignInMeans {
        switch self {
        case .password: .password
        case .refreshToken: .refreshToken
        case .accessToken: .token
        }
    }
}
