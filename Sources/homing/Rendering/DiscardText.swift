import ControlAPI

struct DiscardText {
    let times: TimeText
    private static let shown = 20

    /// Lists the first 20 entries and warns that discarding is final.
    func before(_ entries: [EntrySummary]) -> String {
        let lines = entries.prefix(Self.shown).map { "  " + EntryText(style: .plain, times: times).line($0) }
        let more = entries.count > Self.shown ? ["  and \(entries.count - Self.shown) more"] : []
        let them = entries.count == 1 ? "it is" : "they are"
        let doubts = entries.contains(where: \.uncertain) ? ["What was sent before and may have arrived stays at the backend."] : []
        let heading =
            "\(Words.entries(entries.count).capitalisedFirst) will be destroyed for ever; \(them) never sent, and there is no way back:"
        return ([heading] + lines + more + doubts).joined(separator: "\n")
    }

    static func done(_ entries: [EntrySummary]) -> String {
        let what = "\(Words.entries(entries.count).capitalisedFirst) \(entries.count == 1 ? "is" : "are") destroyed"
        let doubtful = entries.count(where: \.uncertain)
        if doubtful == 0 { return "\(what) and will never be sent." }
        let those = doubtful < entries.count ? "\(doubtful) of them" : doubtful == 1 ? "It" : "They"
        return "\(what) here and will not be sent again. \(those) may have arrived before; what is there stays there."
    }
}
