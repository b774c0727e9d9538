import Logging
import SyncModel

/// Escapes metadata: file names must not forge log lines or control the terminal.
package struct LegibleLogHandler: LogHandler {
    private var next: any LogHandler

    package init(_ next: any LogHandler, logLevel: Logger.Level) {
        self.next = next
        self.next.logLevel = logLevel
    }

    package var logLevel: Logger.Level {
        get { next.logLevel }
        set { next.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { next.metadata }
        set { next.metadata = newValue }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { next.metadataProvider }
        set { next.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { next[metadataKey: key] }
        set { next[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        var event = event
        event.metadata = event.metadata?.mapValues { .string("\($0)".legible) }
        next.log(event: event)
    }
}
