import Foundation
import HTTPTypes

extension SandboxRequest {
    /// The value of a header, nil where there is none.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The token of `Authorization: Bearer` (RFC 6750).
    var bearerToken: String? {
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// The body, nil where it is not a JSON object.
    var object: JSONObject? { (try? JSON(bytes: body))?.members }  // what it is instead interests nobody

    /// The parts of the path, without percent signs.
    var decodedSegments: [String] { segments.map { $0.removingPercentEncoding ?? $0 } }

    /// The client's own identifier of a change: from an idempotency header, or from its body or an object directly within it.
    ///
    /// Only for the ledger: none of these backends looks at it.
    func clientMutationID(in body: JSONObject) -> String? {
        let names = ["Idempotency-Key", "X-Idempotency-Key", "X-Request-ID"]
        if let key = names.lazy.compactMap(header).first { return key.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        let places = [body] + body.sorted { $0.key < $1.key }.compactMap(\.value.members)
        return places.lazy.compactMap { ($0["client_mutation_id"] ?? $0["clientMutationId"])?.text }.first
    }
}
