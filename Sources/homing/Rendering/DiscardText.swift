import ControlAPI

struct DiscardText {
    let times: TimeText
    private static let shown = 20

    /// Lists the first 20 entries and warns that discarding is final.
    func before(_ entries: [EntrySummary]) -> String {
        let lines = entries.prefix(Self.shown).map { "  " + EntryText(style: .plain, times: times).line($0) }
        let more = entries.count > Self.shown ? ["  and \(entries.count - Self.shown) more"] : []
        let them = entries.count == 1 ? "it" : "them"
        let doubts =
            entries.contains(where: \.uncertain)
            ? ["An earlier attempt may have reached the backend; discarding removes nothing there."] : []
        let heading =
            "\(Words.entries(entries.count).capitalisedFirst) will be discarded for good. "
            + "Homing will not send \(them), and this cannot be undone:"
        return ([heading] + lines + more + doubts).joined(separator: "\n")
    }

    static func done(_ entries: [EntrySummary]) -> String {
        let what = "\(Words.entries(entries).capitalisedFirst) \(entries.count == 1 ? "was" : "were") discarded"
        let doubtful = entries.count(where: \.uncertain)
        if doubtful == 0 { return "\(what) and will never be sent." }
        let those = doubtful < entries.count ? "\(doubtful) of them" : doubtful == 1 ? "It" : "They"
        return "\(what) and will not be sent again. \(those) may already have reached the backend; discarding removes nothing there."
    }
}
