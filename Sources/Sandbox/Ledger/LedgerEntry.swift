import Crypto
import Foundation

/// One accepted change; `Commit` describes the fields of the row.
package struct LedgerEntry: Sendable, Codable, Equatable {
    /// From 1, in order of commit.
    package var sequence: Int
    /// From the clock of the sandbox.
    package var time: Date
    package var method: String
    /// Without the query.
    package var path: String
    package var resource: String
    package var account: Int?
    package var user: Int?
    package var remoteID: Int?
    package var clientMutationID: String?
    /// SHA-256 in hexadecimal of the stored document as compact JSON with sorted keys, otherwise of the request body.
    package var digest: String
    /// The status that the client received; nil without a complete response.
    package var status: Int?
    package var answered: Bool
}

extension LedgerEntry {
    /// The digest of a document. For a stored document, pass `JSON.bytes`.
    package static func digest(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// One accepted change: a row created, changed or deleted.
struct Commit: Sendable {
    /// The kind of the row, such as `facial_measurement`.
    var resource: String
    /// The account of the request's credential.
    var account: Int?
    /// The user who owns the row.
    var user: Int?
    /// The backend's identifier of the row.
    var remoteID: Int?
    /// The client's identifier in the stored document.
    var clientMutationID: String?
    /// The stored document; nil after a deletion.
    var document: JSON?
}

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
    /// The email address of a sign-in request.
    package var signingIn: String?
    package var fault: String?
    /// The status that the client received; nil while unanswered, or without a complete response.
    package var status: Int?
}
