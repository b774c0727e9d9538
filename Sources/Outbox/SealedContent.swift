import Foundation
import JSON
import SyncModel
import Vault

/// The fields and the payload of a mutation, both of which may be about a person.
///
/// Plain form: four bytes (big-endian) with the length of the fields' JSON, that JSON, one byte (1 if a payload follows, 2 if a second entry has it),
/// the payload as submitted.
struct SealedContent: Sendable, Equatable {
    var fields: [String: JSONValue] = [:]
    var payload: Data?
    /// As in `Mutation`.
    var hasFollower = false

    var plain: Data {
        let fields = JSONValue.object(fields).serialized
        var plain = Data(capacity: fields.count + (payload?.count ?? 0) + 5)
        withUnsafeBytes(of: UInt32(fields.count).bigEndian) { plain.append(contentsOf: $0) }
        plain.append(fields)
        plain.append(payload != nil ? 1 : hasFollower ? 2 : 0)
        if let payload { plain.append(payload) }
        return plain
    }

    /// The same id with another digest is an error.
    func digest(by vault: Vault, backend: String, route: String) -> Data { Self.digest(plain, by: vault, backend, route) }

    // Keyed, because it outlives the content, and a plain hash could be guessed. See Decisions/KeyedDigests.md.
    private static func digest(_ plain: Data, by vault: Vault, _ backend: String, _ route: String) -> Data {
        vault.keyedDigest(Data("\(backend)\n\(route)\n".utf8), plain)
    }

    func sealed(by vault: Vault, as id: MutationID, backend: String, route: String) throws -> (sealed: Data, digest: Data) {
        let plain = plain
        return (try vault.seal(plain, as: id.description), Self.digest(plain, by: vault, backend, route))
    }

    init(fields: [String: JSONValue] = [:], payload: Data? = nil, hasFollower: Bool = false) {
        self.fields = fields
        self.payload = payload
        self.hasFollower = hasFollower
    }

    init(opening sealed: Data, by vault: Vault, as id: MutationID) throws {
        let plain = try vault.open(sealed, as: id.description)
        guard plain.count >= 5 else { throw OutboxError.storage("the content of \(id) is cut short") }
        let length = Int(plain.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        let rest = plain.dropFirst(4)
        guard rest.count > length, case .object(let fields) = JSONValue(parsing: Data(rest.prefix(length))) else {
            throw OutboxError.storage("the content of \(id) is cut short")
        }
        self.fields = fields
        let document = rest.dropFirst(length)
        payload = document.first == 1 ? Data(document.dropFirst()) : nil
        hasFollower = document.first == 2
    }
}
