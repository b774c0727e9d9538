import Backends
import ControlAPI

/// Complete commands for messages about one backend.
struct NextCommands {
    /// Nil for the only backend, which needs no name.
    var backend: String?
    var means = SignInMeans.password
    /// True if a token needs the account's name.
    var needsNames = false

    /// For example `homing login --backend notes --token-stdin`.
    var login: String { login(by: means) }

    /// For `owner`, or for any account.
    func login(of owner: String?) -> String { login(by: means, of: owner) }

    func login(by means: SignInMeans, of owner: String? = nil) -> String {
        let option =
            switch means {
            case .password: ""
            case .refreshToken: " --refresh-token-stdin"
            case .token: " --token-stdin" + (needsNames ? " --email \(owner?.asArgument ?? "NAME")" : "")
            }
        return named("homing login") + option
    }

    var logout: String { named("homing logout") }

    /// The steps for `owner` to sign in while another account is signed in.
    func change(from present: String, to owner: String, by login: String? = nil) -> String {
        "To sign \(present) out, run: \(logout)\nThen to sign in as \(owner), run: \(login ?? self.login(of: owner))"
    }

    /// For example `homing resume --backend notes`.
    var resume: String { named("homing resume") }

    /// For example `homing pause --for DURATION --reason TEXT --backend notes`.
    var pause: String { named("homing pause --for DURATION --reason TEXT") }

    /// For example `homing people --refresh`.
    func refresh(_ report: RosterReport) -> String { roster(report.resource, report.title.many, "--refresh") }

    /// For example `homing people --refresh`.
    func roster(_ resource: String, _ many: String, _ option: String) -> String {
        named("homing \(many.allSatisfy(\.isLetter) ? many : "roster \(resource)") \(option)")
    }

    static func restoreProfile(of backend: String) -> String {
        "For the administrator: put \(backend).yaml back into the profile folder. Then send SIGHUP, or run: systemctl reload homingd"
    }

    static func restoreAddress(_ former: String, of backend: String) -> String {
        "For the administrator: put the old address back into \(backend).yaml or, if it is the same service, add ‘formerly: [\(former)]’ there. Then send SIGHUP, or run: systemctl reload homingd"
    }

    func named(_ command: String) -> String { command + (backend.map { " --backend \($0)" } ?? "") }
}
