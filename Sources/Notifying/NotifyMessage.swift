import ControlAPI

/// One notification, as plain text.
package struct NotifyMessage: Codable, Equatable, Sendable {
    package var title: String
    /// May have several lines.
    package var body: String

    package init(title: String, body: String) { (self.title, self.body) = (title, body) }

    /// On one line, for other programs.
    package var line: String { "\(title): \(body)".printable }
}
