import Backends
import Foundation

package struct DescribedConfiguration: Sendable {
    /// The profile, merged with the profiles that it extends.
    let profile: JSON
    package var accounts: [SandboxAccount]
    /// The lifetime of a session in seconds; nil for the profile's value, or an hour.
    package var accessLifetime: Int?
    /// The lifetime of a refresh token in seconds; nil for no expiry.
    package var refreshLifetime: Int?

    /// Reads a profile with the daemon's rules; throws all mistakes at once.
    package init(file: String, accessLifetime: Int? = nil, refreshLifetime: Int? = nil) throws {
        profile = try JSON(bytes: Array(ProfileLibrary.load(file: file, deviceID: "sandbox", version: "1").document))
        accounts = SandboxAccount.lab("1", "2")
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
    }

    package var name: String { profile["name"]?.text ?? "" }

    /// The path of the profile's `base_url`; empty for `/`.
    package var basePath: String {
        let address = URL(string: profile["base_url"]?.text ?? "")?.path ?? ""
        return address == "/" ? "" : address
    }

    /// The token option of `homing login`; nil if people sign in with a password.
    package var tokenOption: String? {
        let auth = profile["auth"]
        return switch auth?["sign_in"]?.text {
        case "refresh_token": "--refresh-token-stdin"
        case "token": "--token-stdin"
        case "password": nil
        default: auth?["login"] != nil ? nil : auth?["refresh"] != nil ? "--refresh-token-stdin" : "--token-stdin"
        }
    }

    /// The API key or refresh token of an account without a login.
    package static func token(of account: Int) -> String { "sandbox-token-\(account)" }
}
