import Logging

/// Logs a text for people, and each metadata value in a `HOMING_…` field; `HOMING_MESSAGE` holds the constant message. Search with
/// `journalctl HOMING_MESSAGE='The gate has changed' HOMING_BACKEND=breathesafe`.
package struct JournalLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let journal: Journal

    package init(journal: Journal, logLevel: Logger.Level) {
        self.journal = journal
        self.logLevel = logLevel
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var facts = metadata
        facts.merge(metadataProvider?.get() ?? [:]) { _, newer in newer }
        facts.merge(event.metadata ?? [:]) { _, newer in newer }
        if let error = event.error { facts["error"] = "\(error)" }
        let sorted = facts.map { (key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }

        var record = JournalRecord()
        let text = sorted.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value.quoted)" }.joined(separator: " ")
        record.add("MESSAGE", text.isEmpty ? "\(event.message)" : "\(event.message): \(text)")
        record.add("PRIORITY", String(event.level.journalPriority))
        record.add("SYSLOG_IDENTIFIER", "homingd")
        record.add("CODE_FILE", event.file)
        record.add("CODE_FUNC", event.function)
        record.add("CODE_LINE", String(event.line))
        record.add("HOMING_MESSAGE", "\(event.message)")
        for fact in sorted { record.add(JournalRecord.name(for: fact.key), fact.value) }
        journal.send(record)
    }
}

extension String {
    /// Quotes the value if it would be ambiguous.
    fileprivate var quoted: String {
        guard contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" }) else { return self }
        return "\"\(replacing("\"", with: "\\\""))\""
    }
}
