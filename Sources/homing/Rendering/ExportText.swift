import ControlAPI

enum ExportText {
    private static let warning = "It is not sealed. Delete it when you no longer need it."

    static func done(_ entry: EntrySummary, _ path: String) -> String {
        "\(EntryTally.text([entry]).capitalisedFirst) was exported to ‘\(path)’. \(warning)".printable
    }

    static func done(_ index: ExportIndex, _ path: String) -> String {
        let (failed, exported) = (index.entries.filter { $0.problem != nil }, index.entries.filter { $0.problem == nil })
        var lines: [String] = []
        if !exported.isEmpty {
            let were = exported.count == 1 ? "was" : "were"
            lines.append(
                "\(EntryTally.text(exported.map(\.entry)).capitalisedFirst) \(were) exported to the folder ‘\(path)’. \(warning)".printable)
        }
        lines += failed.map { "Entry \(EntryText.shortID($0.entry.id)) was not exported: \($0.problem ?? "")".printable }
        if lines.isEmpty { lines.append("Nothing was exported: every entry was delivered or discarded meanwhile.") }
        return lines.joined(separator: "\n")
    }
}
