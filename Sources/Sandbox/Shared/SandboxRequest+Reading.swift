import Foundation
import HTTPTypes

extension SandboxRequest {
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The token of `Authorization: Bearer` (RFC 6750).
    var bearerToken: String? {
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// The body if it is a JSON object.
    var object: JSONObject? { (try? JSON(bytes: body))?.members }  // `try?`: an invalid body has no members

    /// The path components, percent-decoded.
    var decodedSegments: [String] { segments.map { $0.removingPercentEncoding ?? $0 } }

    /// The client's identifier of a change, for the ledger only: from an idempotency header, the body, or an object directly in the body.
    func clientMutationID(in body: JSONObject) -> String? {
        let names = ["Idempotency-Key", "X-Idempotency-Key", "X-Request-ID"]
        if let key = names.lazy.compactMap(header).first { return key.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        let places = [body] + body.sorted { $0.key < $1.key }.compactMap(\.value.members)
        return places.lazy.compactMap { ($0["client_mutation_id"] ?? $0["clientMutationId"])?.text }.first
    }
}
