import ControlAPI

struct UndoText {
    let times: TimeText

    static let nothing = "No discarded entry can be brought back: all their payloads are destroyed."

    func before(_ entries: [EntrySummary]) -> String {
        let what = "\(Words.entries(entries.count)) can be brought back: \(EntryTally.text(entries))."
        return ([what] + EntryText.lines(entries, times)).joined(separator: "\n")
    }

    static func done(_ entries: [EntrySummary]) -> String {
        var states: [(words: String, count: Int)] = []
        for words in entries.map({ Words.state($0.state) }) {
            if let index = states.firstIndex(where: { $0.words == words }) { states[index].count += 1 } else { states.append((words, 1)) }
        }
        let isOne = entries.count == 1
        let now = isOne ? "State: \(states[0].words)" : "States: " + states.map { "\($0.count) \($0.words)" }.joined(separator: ", ")
        let done = "\(EntryTally.text(entries).capitalisedFirst) \(isOne ? "was" : "were") brought back. \(now)."
        return ([done] + EntryText.overwriting(entries)).joined(separator: "\n")
    }
}
