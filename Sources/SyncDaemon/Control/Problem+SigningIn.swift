import Backends
import ControlAPI
import Outbox
import Sessions
import SyncModel

extension Problem {
    init(_ error: SignInError, signingInAt backend: Backend, by method: SignInMethod, _ commands: NextCommands) {
        let name = backend.name
        switch error {
        case .refused(let words):
            self = .signInRefused(
                "\(name) refused the sign-in: \(words.asSentence)", next: Self.afterRefusal(of: method, at: name, words, commands),
                reason: method.refusal(words))
        case .undeclared(let failure):
            self = .signInRefused(
                "\(name): \(failure.message.asSentence)",
                next: failure.status == 423 ? Self.afterLock(at: name) : Self.afterRefusal(of: method, at: name, failure.message, commands),
                reason: failure.status == 423 ? "locked" : method.refusal(failure.message))
        case .locked(let words):
            self = .signInRefused(
                "\(name) refused the sign-in: \(words.asSentence)", next: Self.afterLock(at: name), reason: "locked")
        case .secondFactor:
            let instead = backend.takesRefreshTokens ? "\nTo sign in with a refresh token, run: \(commands.login(by: .refreshToken))" : ""
            self = .unsupported(
                "This account needs a second factor, which Homing cannot provide.",
                next: "Use an account without a second factor.\(instead)")
        case .unavailable(let failure): self.init(failure, signingInAt: name)
        case .misbehaved(let words):
            self.init(
                .backendMisbehaved, status: 502, title: "Not signed in", detail: words,
                next: "Try again. If it fails again, tell the administrator of \(name).")
        case .unsupported(let words):
            // If the backend uses this method, the profile is wrong, and the command would fail again.
            let isTheMethod = method.means == backend.signInMeans
            self = .unsupported(
                words,
                next: isTheMethod
                    ? "Tell the administrator of this station: \(name).yaml must be corrected. Until then, signing in again does not help."
                    : "To sign in, run: \(commands.login)")
        case .signingOut:
            self = Problem(
                .wrongState, status: 409, title: "Signing out", detail: "A sign-out is in progress at \(name).",
                next: "Try again in a few seconds."
            ).stating(.signingOut)
        case .conflict(let account): self = .alreadySignedIn(account.label, at: name, logout: commands.logout)
        case .labelTaken(let label):
            self = .signInRefused(
                "Not signed in at \(name): \(label) is the name of another account.",
                next:
                    "Use the same token, without --email or with the name of the token’s account. To try again, run: \(commands.login(by: method.means))",
                reason: "labelTaken")
        case .unnamed:
            self = Problem.invalid(
                "Not signed in: \(name) does not report the account of a token, so you must name it.",
                next: "Name the account, and use the same name whenever you replace the token. Run: \(commands.login(by: .token))"
            ).stating(.tokenUnnamed)
        case .unsaved(let error):
            self.init(
                .storageFailed, status: 507, title: "The session could not be stored",
                detail: "The store failed: \(error.description.asSentence)", next: Self.afterFailure(error, then: "sign in again"))
        }
    }

    private static func signInRefused(_ detail: String, next: String, reason: String?) -> Problem {
        Problem(.signInRefused, status: 422, title: "Sign-in refused", detail: detail, next: next).stating { $0.reason = reason }
    }

    private static func unsupported(_ detail: String, next: String) -> Problem {
        Problem(.unsupported, status: 409, title: "Not supported", detail: detail, next: next)
    }

    private static func afterLock(at backend: String) -> String {
        "Wait until the lock ends, because another try may extend it. The administrator of \(backend) can remove it."
    }

    private static func afterRefusal(of method: SignInMethod, at backend: String, _ words: String, _ commands: NextCommands) -> String {
        switch method {
        case .password where words.isAboutTheAccount: "Resolve this first, or ask the administrator of \(backend). Then sign in again."
        case .password: "Check the email address and the password. Too many wrong passwords may lock the account."
        case .refreshToken: "Get a new refresh token from \(backend), then run: \(commands.login(by: .refreshToken))"
        case .accessToken: "Create a new token at \(backend), then run: \(commands.login(by: .token))"
        }
    }

    /// The backend could not be asked, or did not answer about the person.
    private init(_ failure: Failure, signingInAt backend: String) {
        let remedy = CoolingText(reason: failure.reason, message: failure.message).remedy(then: "sign in here again.")
        func unreachable(_ title: String, _ next: String) -> Problem {
            Problem(.backendUnreachable, status: 503, title: title, detail: failure.message, next: next)
        }
        switch failure.reason {
        case .stopping:
            self.init(
                .stopping, status: 503, title: "The daemon is stopping", detail: "The daemon stopped before \(backend) answered.",
                next: "When it runs again, sign in if necessary. To see whether you are signed in, run: homing status")
        case .profile:
            self.init(
                .backendMisbehaved, status: 502, title: "Not signed in", detail: failure.message,
                next:
                    "Tell the administrator of this station: \(backend).yaml must be corrected. Until then, signing in again does not help."
            )
        case .throttled:
            self = unreachable(
                "Too many attempts",
                "Try again after the time given, or after a few minutes. Waiting captures are safe here.")
        case .tls, .clock, .intercepted: self = unreachable("The backend is unreachable", remedy ?? "Try again later.")
        case .serverError, .tooLarge:
            var failure = failure
            // Its own words alone would look like an error of Homing.
            if !failure.message.hasPrefix(backend) { failure.message = "\(backend) answered: \(failure.message)" }
            self.init(
                .backendUnreachable, status: 503, title: "The backend failed", detail: failure.message,
                next: "Try again in a few minutes. Waiting captures are safe here.")
        default:
            self = unreachable(
                "The backend is unreachable", "Signing in needs the network. Try again when it is back. Waiting captures are safe here.")
        }
        facts = SentenceFacts { ($0.reason, $0.status, $0.wait) = (failure.reason.rawValue, failure.status, failure.wait) }
    }
}

extension String {
    /// True if the refusal concerns the account, such as an unconfirmed one, and not the password.
    fileprivate var isAboutTheAccount: Bool {
        let stems = ["confirm", "unconfirm", "verif", "unverif", "activ", "inactiv", "deactiv", "disabl", "suspend", "approv", "switched"]
        let words = lowercased().split { !$0.isLetter }
        return !words.contains("password") && words.contains { word in stems.contains { word.hasPrefix($0) } }
    }
}

extension SignInMethod {
    fileprivate var means: SignInMeans {
        switch self {
        case .password: .password
        case .refreshToken: .refreshToken
        case .accessToken: .token
        }
    }

    /// The subject of a refusal, for programs; nil for the password.
    fileprivate func refusal(_ words: String) -> String? {
        switch self {
        case .password: words.isAboutTheAccount ? "account" : nil
        case .refreshToken: "refreshToken"
        case .accessToken: "token"
        }
    }
}
