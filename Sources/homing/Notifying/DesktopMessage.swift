import ControlAPI

/// One notification, as plain text.
struct DesktopMessage: Encodable, Equatable, Sendable {
    var title: String
    var body: String

    /// On one line, for other programs.
    var line: String { "\(title): \(body)".printable }
}
