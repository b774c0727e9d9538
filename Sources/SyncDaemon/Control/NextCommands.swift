import Backends

/// The commands that sentences about one backend tell a person to type, complete as they stand.
struct NextCommands {
    /// Nil where it is the only one, and need not be named.
    var backend: String?
    /// By what people sign in there.
    var means = SignInMeans.password
    /// Whether a token has to come with the name of its account.
    var needsNames = false

    /// How somebody signs in there: `homing login --backend notes --token-stdin`.
    var login: String { login(by: means) }

    /// How `owner` signs in there, or whoever it is.
    func login(of owner: String?) -> String { login(by: means, of: owner) }

    /// How somebody signs in there by `means`.
    func login(by means: SignInMeans, of owner: String? = nil) -> String {
        let option =
            switch means {
            case .password: ""
            case .refreshToken: " --refresh-token-stdin"
            case .token: " --token-stdin" + (needsNames ? " --email \(owner?.asArgument ?? "NAME")" : "")
            }
        return named("homing login") + option
    }

    /// How somebody signs out there.
    var logout: String { named("homing logout") }

    /// How `owner` comes to be signed in there, by `login`, where somebody else is: only one person can be.
    func change(from present: String, to owner: String, by login: String? = nil) -> String {
        "First sign \(present) out with ‘\(logout)’; then \(owner) signs in with ‘\(login ?? self.login(of: owner))’."
    }

    /// How a pause of it is ended: `homing resume --backend notes`.
    var resume: String { named("homing resume") }

    /// How it is paused with an end: `homing pause --for … --backend notes`.
    var pause: String { named("homing pause --for") }

    private func named(_ command: String) -> String { command + (backend.map { " --backend \($0)" } ?? "") }
}

extension String {
    /// As one argument of a shell's command line: in quotation marks where it needs them.
    fileprivate var asArgument: String {
        allSatisfy { $0.isLetter || $0.isNumber || "@.+-_".contains($0) } && !hasPrefix("-") && !isEmpty
            ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
