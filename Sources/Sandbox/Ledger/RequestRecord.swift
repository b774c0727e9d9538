import Foundation

/// One request that arrived, whether it took effect or not.
package struct RequestRecord: Sendable, Codable, Equatable {
    /// 1 for the first.
    package var sequence: Int
    /// By the clock of the sandbox.
    package var time: Date
    package var method: String
    /// Without the query.
    package var path: String
    /// The user of the session cookie or access token.
    package var account: Int?
    /// The user of the remember token or refresh token.
    package var rememberedAccount: Int?
    /// The e-mail of a request that signs in.
    package var signingIn: String?
    /// The fault that this request met.
    package var fault: String?
    /// What the client was told; nil while it waits, and where the line was cut.
    package var status: Int?
}
