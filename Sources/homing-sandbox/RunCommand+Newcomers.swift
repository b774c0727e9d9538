import Sandbox

extension RunCommand {
    /// Instructions for using the sandbox with Homing: the profile lines and the sign-in command.
    func instructions(for url: String) throws -> [String] {
        guard let profile else { return Self.lines(named.rawValue, named.profileLines(url), token: named.tokenOption) }
        let described = try DescribedConfiguration(file: profile)
        return Self.lines(described.name, ["base_url: \(url)\(described.basePath)"], token: described.tokenOption)
    }

    private static func lines(_ name: String, _ profile: [String], token option: String?) -> [String] {
        let signIn =
            option.map { option in
                (1...2).map { account in
                    "printf \(DescribedConfiguration.token(of: account)) | homing login \(option) --email \(emails[account - 1])"
                }
            } ?? ["homing login --email \(emails[0])", "with the password \(BreatheSafeConfiguration.labPassword); also \(emails[1])"]
        return profile.map { "in \(name).yaml  \($0)" } + signIn.enumerated().map { ($0 == 0 ? "sign in  " : "         ") + $1 }
            + ["         (if the station has several backends, add --backend \(name))"]
    }

    private static let emails = SandboxAccount.lab("1", "2").map(\.email)
}

extension BackendArgument {
    /// The option of `homing login` that takes a token; nil if people sign in with a password.
    fileprivate var tokenOption: String? { self == .aiphoto ? "--refresh-token-stdin" : nil }

    fileprivate func profileLines(_ url: String) -> [String] {
        switch self {
        case .labloop: ["base_url: \(url)/api"]
        case .aiphoto, .story16: ["base_url: \(url)", "vars: {api_key: any, idp: \(url), sts: \(url)}"]
        case .breathesafe, .lists, .lists2026: ["base_url: \(url)"]
        }
    }
}
