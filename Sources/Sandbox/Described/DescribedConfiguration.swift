import Backends
import Foundation

/// A backend that nothing is known of but its profile.
package struct DescribedConfiguration: Sendable {
    /// The profile, with what it extends laid under it.
    let profile: JSON
    /// Who can sign in.
    package var accounts: [SandboxAccount]
    /// Seconds for which a session works; nil takes what the profile says, or else an hour.
    package var accessLifetime: Int?
    /// Seconds for which a refresh token works; nil for ever.
    package var refreshLifetime: Int?

    /// Reads a profile, with what it extends from the same folder, by the rules of the daemon; throws every mistake in it at once.
    package init(file: String, accessLifetime: Int? = nil, refreshLifetime: Int? = nil) throws {
        profile = try JSON(bytes: Array(ProfileLibrary.load(file: file, deviceID: "sandbox", version: "1").document))
        accounts = SandboxAccount.lab("1", "2")
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
    }

    package var name: String { profile["name"]?.text ?? "" }

    /// What the profile's address has after its host.
    package var basePath: String {
        let address = URL(string: profile["base_url"]?.text ?? "")?.path ?? ""
        return address == "/" ? "" : address
    }

    /// By which option of `homing login` a token is handed in; nil where people sign in with a password.
    package var tokenOption: String? {
        let auth = profile["auth"]
        return switch auth?["sign_in"]?.text {
        case "refresh_token": "--refresh-token-stdin"
        case "token": "--token-stdin"
        case "password": nil
        default: auth?["login"] != nil ? nil : auth?["refresh"] != nil ? "--refresh-token-stdin" : "--token-stdin"
        }
    }

    /// The API key, or the refresh token from elsewhere, of an account of a profile without a login.
    package static func token(of account: Int) -> String { "sandbox-token-\(account)" }
}
