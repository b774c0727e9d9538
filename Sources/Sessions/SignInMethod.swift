import Backends
import Crypto
import Foundation

package enum SignInMethod: Hashable, Sendable {
    case password(email: String, Secret)
    /// `label` is the name people use for the account.
    case refreshToken(Secret, label: String?)
    /// A fixed token, such as an API key.
    case accessToken(Secret, label: String?)

    /// False for a token that does not fit into a header (RFC 9110 5.5).
    package var canBeSent: Bool {
        switch self {
        case .password: true
        case .refreshToken(let token, _), .accessToken(let token, _): token.revealed.isFieldValue
        }
    }
}

extension SignInMethod {
    /// Identifies a refresh token that was handed in; nil for another method.
    var digest: String? {
        guard case .refreshToken(let token, _) = self else { return nil }
        return SHA256.hash(data: Data(token.revealed.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// The name by which people know the account; nil if only the backend knows it.
    var label: String? {
        switch self {
        case .password(let email, _): email
        case .refreshToken(_, let label), .accessToken(_, let label): label
        }
    }
}
