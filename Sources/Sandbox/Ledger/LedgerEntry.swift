import Crypto
import Foundation

/// One line of the ledger: what the backend accepted, in the order in which it did.
package struct LedgerEntry: Sendable, Codable, Equatable {
    /// 1 for the first.
    package var sequence: Int
    /// By the clock of the sandbox.
    package var time: Date
    package var method: String
    /// Without the query.
    package var path: String
    /// What the row is, such as `facial_measurement`.
    package var resource: String
    /// The account whose credential the request carried.
    package var account: Int?
    /// The user whose row it is.
    package var user: Int?
    /// The identifier that the backend gave the row.
    package var remoteID: Int?
    /// The client's own identifier inside the stored document.
    package var clientMutationID: String?
    /// SHA-256 of the stored document as compact JSON with sorted keys, or of the request's body where nothing was stored, in hexadecimal.
    package var digest: String
    /// What the client was told; nil where no whole answer was sent.
    package var status: Int?
    /// False where the client learnt nothing.
    package var answered: Bool
}

extension LedgerEntry {
    /// SHA-256 in hexadecimal, as `digest` has it: of `JSON.bytes` where a document was stored.
    package static func digest(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
