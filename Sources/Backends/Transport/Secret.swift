import SyncModel

/// Prints as `[secret]` and is stored only in sealed files.
package struct Secret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// For sending only.
    package let revealed: String

    package init(_ text: String) { revealed = text }

    package init(from decoder: any Decoder) throws { revealed = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// The forms in which a server may repeat it: plain, JSON-escaped and percent-encoded.
    fileprivate var forms: Set<String> {
        let json = JSONValue.string(revealed).serialized
        let escaped = String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
        let encoded = revealed.percentEncoded
        return [
            revealed, escaped, escaped.replacing("/", with: #"\/"#), encoded,
            encoded.replacing("%20", with: "+"),
        ]
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Replaces every form of the secrets by "(hidden)".
    func hiding(_ secrets: Set<Secret>) -> String {
        // One may contain another.
        let forms = Set(secrets.flatMap(\.forms)).filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        return forms.reduce(self) { $0.replacing($1, with: "(hidden)") }
    }
}
