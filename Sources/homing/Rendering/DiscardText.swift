import ControlAPI
import Foundation

struct DiscardText {
    let times: TimeText
    /// In columns.
    var width = Table.width

    /// Names people and counts, lists the first 20 entries, and says whether they can be brought back. `stranded` entries are for rows that
    /// are then not created.
    func before(_ entries: [EntrySummary], stranded: [EntrySummary] = [], isFinal: Bool) -> String {
        let (them, their) = entries.count == 1 ? ("it", "its payload is") : ("them", "their payloads are")
        let consequence =
            isFinal
            ? "Homing will not send \(them), and this cannot be undone."
            : "Homing will not send \(them). In ten minutes \(their) destroyed; until then, ‘homing undo’ brings \(them) back."
        let what =
            "\(Words.entries(entries.count).capitalisedFirst) will be discarded\(isFinal ? " for good" : ""): \(EntryTally.text(entries))."
        let doubts =
            entries.contains(where: \.uncertain)
            ? ["An earlier attempt may have reached the backend; discarding removes nothing there."] : []
        let above = [what, Self.accounts(entries), consequence].compactMap(\.self).joined(separator: " ").wrapped(toColumns: width)
        let held = Self.held(stranded, "will be").map { $0.wrapped(toColumns: width) } ?? []
        return (above + EntryText.lines(entries, times) + held + doubts).joined(separator: "\n")
    }

    func done(_ entries: [EntrySummary], stranded: [EntrySummary] = []) -> String {
        [Self.what(entries), Self.held(stranded, nil), undo(entries)].compactMap(\.self).joined(separator: "\n")
    }

    static func before(file: String) -> String {
        "The refused file ‘\(file.printable)’ and the file that says why will be discarded. This cannot be undone."
    }

    /// Names the first ten.
    static func before(files: [String]) -> String {
        if files.count == 1 { return before(file: files[0]) }
        let names = files.map { "‘\($0.printable)’" }.inWords(atMost: 10)
        let count = Words.count(files.count, "refused file", "refused files")
        return "\(count) and the files that say why will be discarded: \(names). This cannot be undone."
    }

    static func done(_ files: [DiscardedFile], left: Int) -> String {
        let name = files.count == 1 ? files.first.map { "The refused file ‘\($0.name.printable)’ was" } : nil
        let rest = left > 0 ? " \(Words.count(left, "refused file is", "refused files are")) left." : ""
        return "\(name ?? Words.count(files.count, "refused file was", "refused files were")) discarded.\(rest)"
    }

    /// `2 measurements of Anna Example (new) will be on hold.` Failed entries stay as they are.
    private static func held(_ entries: [EntrySummary], _ verb: String?) -> String? {
        let (failed, others) = (entries.filter { $0.state == "dead" }, entries.filter { $0.state != "dead" })
        let sentences = [
            others.isEmpty ? nil : "\(EntryTally.text(others)) \(verb ?? (others.count == 1 ? "is" : "are")) on hold.",
            failed.isEmpty ? nil : "\(EntryTally.text(failed)) failed before, and cannot be retried.",
        ].compactMap { $0?.capitalisedFirst }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Names the accounts if there are several; otherwise nil.
    private static func accounts(_ entries: [EntrySummary]) -> String? {
        var names: [String] = []
        for entry in entries {
            let name = "account \(entry.account) at \(entry.backend)"
            if !names.contains(name) { names.append(name) }
        }
        return names.count < 2 ? nil : "They belong to \(names.inWords.printable)."
    }

    private static func what(_ entries: [EntrySummary]) -> String {
        let what = "\(EntryTally.text(entries).capitalisedFirst) \(entries.count == 1 ? "was" : "were") discarded"
        let doubtful = entries.count(where: \.uncertain)
        if doubtful == 0 { return "\(what). Homing will not send \(entries.count == 1 ? "it" : "them")." }
        let those = doubtful < entries.count ? "\(doubtful) of them" : doubtful == 1 ? "It" : "They"
        return "\(what) and will not be sent again. \(those) may already have reached the backend; discarding removes nothing there."
    }

    /// Until when the entries can be brought back, and how.
    private func undo(_ entries: [EntrySummary]) -> String? {
        guard let end = entries.compactMap(\.discardAt).min(), let first = entries.first else { return nil }
        return entries.count == 1
            ? "It can be brought back until \(times.clock(end)): homing undo \(EntryText.shortID(first.id))"
            : "They can be brought back until \(times.clock(end)): homing undo"
    }
}
