import Foundation

/// One line of the ledger: what the backend accepted, in the order in which it did.
package struct LedgerEntry: Sendable, Codable, Equatable {
    /// 1 for the first.
    package var sequence: Int
    package var time: Date
    package var method: String
    package var path: String
    package var resource: String
    /// The signed-in user.
    package var account: Int?
    /// The user whose row it is.
    package var user: Int?
    package var remoteID: Int?
    package var clientMutationID: String?
    /// SHA-256 of the stored document as compact JSON, or of the request's body where nothing was stored, in hexadecimal.
    package var digest: String
    /// What the client was told; nil where the line was cut or nothing was ever sent.
    package var status: Int?
    /// False where the client learnt nothing.
    package var answered: Bool
}
