import Foundation
import JSON
import SyncModel
import Vault

/// The fields and the payload of a mutation, both of which may be about a person.
///
/// Plain form: four bytes (big-endian) with the length of the fields' JSON, that JSON, one byte (1: a payload follows, 2: a second entry
/// has it, 3: a compressed payload follows), the payload. Compresses only if that makes the payload much smaller.
struct SealedContent: Sendable, Equatable {
    var fields: [String: JSONValue] = [:]
    var payload: Data?
    /// True if a second entry, accepted with this one, has the payload.
    var hasFollower = false

    var plain: Data { form(kind, payload) }

    private var kind: UInt8 { payload != nil ? 1 : hasFollower ? 2 : 0 }

    /// The form with a compressed payload, and nothing else: nothing that could be guessed shares its length.
    private var compressed: Data? { payload.flatMap(Compression.compressed).map { form(3, $0) } }

    private func form(_ kind: UInt8, _ payload: Data?) -> Data {
        let fields = JSONValue.object(fields).serialized
        var form = Data(capacity: fields.count + (payload?.count ?? 0) + 5)
        withUnsafeBytes(of: UInt32(fields.count).bigEndian) { form.append(contentsOf: $0) }
        form.append(fields)
        form.append(kind)
        if let payload { form.append(payload) }
        return form
    }

    /// The digest of the plain form, without a copy. The same id with another digest is an error.
    func digest(by vault: Vault, backend: String, route: String) -> Data {
        // Keyed: it outlives the content, and a plain hash could be guessed (Decisions/KeyedDigests.md).
        vault.keyedDigest(Data("\(backend)\n\(route)\n".utf8), form(kind, nil), payload ?? Data())
    }

    func sealed(by vault: Vault, as id: MutationID, backend: String, route: String) throws -> (sealed: Data, digest: Data) {
        (try vault.seal(compressed ?? plain, as: id.description), digest(by: vault, backend: backend, route: route))
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
        if document.first == 3 {
            guard let payload = Compression.expanded(document.dropFirst()) else {
                throw OutboxError.storage("the payload of \(id) cannot be decompressed")
            }
            self.payload = payload
        }
        hasFollower = document.first == 2
    }
}
