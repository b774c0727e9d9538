import ArgumentParser
import Sandbox

extension RunCommand {
    var named: BackendArgument { backend ?? .breathesafe }

    /// The selected backend with its options; throws all mistakes in a profile.
    var sandboxBackend: SandboxBackend {
        get throws {
            guard let profile else { return shippedBackend }
            do {
                return .described(
                    try DescribedConfiguration(file: profile, accessLifetime: accessSeconds, refreshLifetime: refreshSeconds))
            } catch {
                throw ValidationError("--profile: \(error)")
            }
        }
    }

    private var shippedBackend: SandboxBackend {
        switch named {
        case .breathesafe: .breatheSafe(breatheSafe)
        case .labloop: .labLoop(labLoop)
        case .aiphoto: .aiPhoto(AIPhotoConfiguration(firebase: firebase))
        case .lists: .lists(lists)
        case .lists2026: .lists2026(lists2026)
        case .story16: .story16(firebase)
        }
    }

    private var breatheSafe: BreatheSafeConfiguration {
        var configuration = BreatheSafeConfiguration()
        configuration.managedUsers += managedUsers.map(\.value)
        if let sessionSeconds { configuration.sessionLifetime = .seconds(sessionSeconds) }
        return configuration
    }

    private var labLoop: LabLoopConfiguration {
        var configuration = LabLoopConfiguration()
        if let accessSeconds { configuration.accessLifetime = accessSeconds }
        if let refreshSeconds { configuration.refreshLifetime = refreshSeconds }
        return configuration
    }

    private var firebase: FirebaseConfiguration {
        var configuration = FirebaseConfiguration()
        configuration.refreshTokens = Dictionary(
            uniqueKeysWithValues: configuration.accounts.map { (DescribedConfiguration.token(of: $0.number), $0.email) })
        if let accessSeconds { configuration.idTokenLifetime = accessSeconds }
        return configuration
    }

    private var lists: ListsConfiguration {
        var configuration = ListsConfiguration()
        if let accessSeconds { configuration.tokenLifetime = accessSeconds }
        return configuration
    }

    private var lists2026: Lists2026Configuration {
        var configuration = Lists2026Configuration()
        if let accessSeconds { configuration.accessLifetime = accessSeconds }
        if let refreshSeconds { configuration.refreshLifetime = refreshSeconds }
        if let graceSeconds { configuration.grace = graceSeconds }
        return configuration
    }
}
