import ControlAPI
import Foundation

struct PauseText {
    let pause: PauseReport
    let moment: Moment

    /// `Paused by anna since 15:20 until 17:20: weekly backup.`
    var sentence: String { predicate.prefix(1).uppercased() + predicate.dropFirst() }

    /// The same after `Sending is `.
    var predicate: String { "paused by \(pause.by) since \(moment.text(pause.since)) \(end)\(words)." }

    /// `until 17:20 by anna`, or `by anna until it is resumed`.
    var clause: String { pause.until == nil ? "by \(pause.by) \(end)" : "\(end) by \(pause.by)" }

    private var end: String { pause.until.map { "until \(moment.text($0))" } ?? "until it is resumed" }

    private var words: String {
        let words = pause.reason.trimmingCharacters(in: .whitespacesAndNewlines)
        return words.isEmpty ? "" : ": \(words.hasSuffix(".") ? String(words.dropLast()) : words)"
    }
}
