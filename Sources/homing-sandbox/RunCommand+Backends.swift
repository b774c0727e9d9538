import ArgumentParser
import Sandbox

extension RunCommand {
    var named: BackendArgument { backend ?? .breathesafe }

    /// Throws all mistakes in a profile.
    var sandboxBackend: SandboxBackend {
        get throws {
            guard let profile else { return shippedBackend }
            do {
                return .described(try DescribedConfiguration(file: profile, accessLifetime: accessSeconds, refreshLifetime: refreshSeconds))
            } catch {
                throw ValidationError("--profile: \(error)")
            }
        }
    }

    private var shippedBackend: SandboxBackend {
        switch named {
        case .breathesafe:
            var configuration = BreatheSafeConfiguration()
            configuration.managedUsers = (configuration.managedUsers + managedUsers.map(\.value)).map(\.named)
            if let sessionSeconds { configuration.sessionLifetime = .seconds(sessionSeconds) }
            return .breatheSafe(configuration)
        case .labloop:
            var configuration = LabLoopConfiguration()
            Self.set(&configuration.accessLifetime, to: accessSeconds)
            Self.set(&configuration.refreshLifetime, to: refreshSeconds)
            return .labLoop(configuration)
        case .aiphoto: return .aiPhoto(AIPhotoConfiguration { $0.firebase = firebase })
        case .lists:
            var configuration = ListsConfiguration()
            Self.set(&configuration.tokenLifetime, to: accessSeconds)
            return .lists(configuration)
        case .lists2026:
            var configuration = Lists2026Configuration()
            Self.set(&configuration.accessLifetime, to: accessSeconds)
            Self.set(&configuration.refreshLifetime, to: refreshSeconds)
            Self.set(&configuration.grace, to: graceSeconds)
            return .lists2026(configuration)
        case .story16: return .story16(firebase)
        }
    }

    private var firebase: FirebaseConfiguration {
        var configuration = FirebaseConfiguration()
        configuration.refreshTokens = Dictionary(
            uniqueKeysWithValues: configuration.accounts.map { (DescribedConfiguration.token(of: $0.number), $0.email) })
        Self.set(&configuration.idTokenLifetime, to: accessSeconds)
        return configuration
    }

    private static func set(_ value: inout Int, to option: Int?) { value = option ?? value }

    /// The profile lines and the sign-in command.
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

extension BreatheSafeConfiguration.ManagedUser {
    private static let names = [("Anna", "Example"), ("Ben", "Sample"), ("Chidi", "Test"), ("Zoë", "Demo"), ("Eve", "Trial")]

    /// With a made-up name, from the first managed user on.
    var named: Self {
        let (first, last) = Self.name(of: user)
        return Self(user: user, manager: manager, profile: ["first_name": .string(first), "last_name": .string(last)])
    }

    static func name(of user: Int) -> (first: String, last: String) { names[max(0, user - 5) % names.count] }
}
