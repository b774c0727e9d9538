import Foundation

/// One received request, with or without effect.
package struct RequestRecord: Sendable, Codable, Equatable {
    /// In order of arrival, from 1.
    package var sequence: Int
    /// From the clock of the sandbox.
    package var time: Date
    package var method: String
    /// Without the query.
    package var path: String
    /// The user of the session cookie or access token.
    package var account: Int?
    /// The user of the remember token or refresh token.
    package var rememberedAccount: Int?
    /// The e-mail address of a sign-in request.
    package var signingIn: String?
    package var fault: String?
    /// The status that the client received; nil while unanswered, or without a complete response.
    package var status: Int?
}
