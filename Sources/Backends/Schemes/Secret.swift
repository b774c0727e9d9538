import SyncModel

/// A text that must not be seen: it prints as `[secret]`, and is stored only inside a sealed file.
package struct Secret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the one place that sends it.
    let revealed: String

    package init(_ text: String) { revealed = text }

    package init(from decoder: any Decoder) throws { revealed = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// Every form in which a server may repeat what it was sent: as it is, as JSON writes it, and percent-encoded as in an address or a form.
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
    /// The text with "(hidden)" in place of each of the secrets, in whichever form it stands there.
    func hiding(_ secrets: Set<Secret>) -> String {
        // A longer one first, since it may hold a shorter one.
        let forms = Set(secrets.flatMap(\.forms)).filter { !$0.isEmpty }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        return forms.reduce(self) { $0.replacing($1, with: "(hidden)") }
    }
}
