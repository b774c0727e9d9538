/// A text that must not be seen: it prints as `[secret]`, and is stored only inside a sealed file.
struct Secret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the one place that sends it.
    let revealed: String

    init(_ text: String) { revealed = text }

    init(from decoder: any Decoder) throws { revealed = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    var description: String { "[secret]" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
