import ControlAPI

/// What discarding means, before and after.
struct DiscardText {
    let times: TimeText
    private static let shown = 20

    /// The entries about to be destroyed (the first 20 of them), and that there is no way back.
    func before(_ entries: [EntrySummary]) -> String {
        let lines = entries.prefix(Self.shown).map { "  " + EntryText(style: .plain, times: times).line($0) }
        let more = entries.count > Self.shown ? ["  and \(entries.count - Self.shown) more"] : []
        let them = entries.count == 1 ? "it is" : "they are"
        let heading =
            "\(Words.entries(entries.count).capitalisedFirst) will be destroyed for ever; \(them) never sent, and there is no way back:"
        return ([heading] + lines + more).joined(separator: "\n")
    }

    static func done(_ count: Int) -> String {
        "\(Words.entries(count).capitalisedFirst) \(count == 1 ? "is" : "are") destroyed and will never be sent."
    }
}
