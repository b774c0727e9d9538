import Foundation
import HTTPTypes

/// One request with its whole body.
package struct SandboxRequest: Sendable {
    package let method: String
    /// The path as sent, without the query.
    package let path: String
    package let query: [String: String]
    package var headers: HTTPFields
    /// The Host header; redirects of the backend point to it.
    package let host: String
    package var body: [UInt8]

    /// `METHOD /path`.
    var line: String { "\(method) \(path)" }

    /// The path components, not percent-decoded.
    package var segments: [String] { path.split(separator: "/").map(String.init) }

    /// The first of two with the same name wins, as in Rack.
    package var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for line in headers[values: .cookie] {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces() }
                guard parts.count == 2, cookies[parts[0]] == nil else { continue }
                cookies[parts[0]] = parts[1]
            }
        }
        return cookies
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    func trimmingSpaces() -> String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}

extension SandboxRequest {
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The token of `Authorization: Bearer` (RFC 6750).
    var bearerToken: String? {
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// The token in the header or, in requests that may have it there, in the member `name` of the body.
    func refreshToken(_ name: String, inBodyOf lines: [String]) -> String? {
        header("x-refresh-token") ?? (lines.contains(line) ? object?[name]?.text : nil)
    }

    /// The body if it is a JSON object.
    var object: JSONObject? { (try? JSON(bytes: body))?.members }  // `try?`: an invalid body has no members

    /// The path components, percent-decoded.
    var decodedSegments: [String] { segments.map { $0.removingPercentEncoding ?? $0 } }

    /// The client's id of a change, for the ledger only: from an idempotency header, the body, or an object directly in the body.
    func clientMutationID(in body: JSONObject) -> String? {
        let names = ["Idempotency-Key", "X-Idempotency-Key", "X-Request-ID"]
        if let key = names.lazy.compactMap(header).first { return key.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        let places = [body] + body.sorted { $0.key < $1.key }.compactMap(\.value.members)
        return places.lazy.compactMap { ($0["client_mutation_id"] ?? $0["clientMutationId"])?.text }.first
    }
}

/// Parses a form body with Rails' nested names, `user[email]=...`.
enum FormBody {
    static func read(_ text: String) -> JSONObject {
        var object = JSON.object([:])
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
            let names = parts[0].split(separator: "[").map { $0.hasSuffix("]") ? String($0.dropLast()) : String($0) }
            object = setting(object, names[...], to: .string(parts.count > 1 ? parts[1] : ""))
        }
        return object.members ?? [:]
    }

    private static func setting(_ value: JSON, _ names: ArraySlice<String>, to leaf: JSON) -> JSON {
        guard let name = names.first else { return leaf }
        var object = value.members ?? [:]
        object[name] = setting(object[name] ?? .null, names.dropFirst(), to: leaf)
        return .object(object)
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
