import Logging

extension Logger {
    /// Writes nothing.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
