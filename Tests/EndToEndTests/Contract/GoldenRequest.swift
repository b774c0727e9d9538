import Foundation
import HTTPTypes
import Sandbox

/// A request in a form for comparison, without transport headers and without the origin.
struct GoldenRequest: Hashable, CustomStringConvertible {
    let line: String
    let query: [String: String]
    let headers: Set<String>
    let body: String

    /// Headers of the transport, and the CSRF token.
    private static let added: Set<String> = [
        "host", "content-length", "accept-encoding", "connection", "transfer-encoding", "x-csrf-token",
    ]

    /// Parses a request of Fixtures/Requests, without its name.
    init?(_ text: Substring) {
        let parts = text.split(separator: "\n\n", maxSplits: 1)
        let lines = parts.first?.split(separator: "\n").drop { $0.hasPrefix("#") } ?? []
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 2, let url = URLComponents(string: String(words[1])) else { return nil }
        line = "\(words[0]) \(url.percentEncodedPath)"
        query = Dictionary(uniqueKeysWithValues: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") })
        headers = Set(lines.dropFirst().map(Self.header))
        body = parts.count > 1 ? parts[1].trimmingCharacters(in: .newlines) : ""
    }

    /// `known` maps this station's values to those of the fixtures.
    init(_ request: SandboxRequest, replacing known: [String: String]) {
        func normalized(_ text: String) -> String { known.reduce(text) { $0.replacing($1.key, with: $1.value) } }
        line = normalized("\(request.method) \(request.path)")
        query = request.query
        headers = Set(
            request.headers.filter { !Self.added.contains($0.name.canonicalName) }
                .map { normalized(Self.header("\($0.name.rawName): \($0.value)")) })
        body = normalized(String(decoding: request.body, as: UTF8.self))
    }

    /// Header names are case-insensitive.
    private static func header(_ line: some StringProtocol) -> String {
        let parts = line.split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0].lowercased()):\(parts[1])" : String(line)
    }

    var description: String {
        ([line] + query.map { "?\($0)=\($1)" }.sorted() + headers.sorted() + [body]).joined(separator: "\n")
    }
}
