import ControlAPI

enum RetryText {
    /// Entries of an account that is not signed in.
    struct Obstacle {
        let count: Int
        let why: Explanation
    }

    static func withoutLooking(_ entries: [EntrySummary]) -> String {
        let what = "\(Words.entries(entries).capitalisedFirst) may already have taken effect at \(backends(entries))."
        return "\(what) If sent without a look-up, \(entries.count == 1 ? "it" : "each") may exist there twice."
    }

    /// Entries that `--all` does not send again.
    static func left(_ entries: [EntrySummary], state: String) -> String {
        let (count, them) = (entries.count, entries.count == 1 ? "it" : "them")
        return """
            \(Words.entries(count).capitalisedFirst) \(count == 1 ? "was" : "were") skipped: \(count == 1 ? "it" : "they") may already \
            have taken effect, and Homing cannot look \(them) up at \(backends(entries)).
            Look for \(them) there. If the backend has an entry, run: homing resolve ID --delivered
            If it does not have it, run: homing resolve ID --not-delivered
            To send \(them) anyway, which may make duplicates, run: homing retry --all --state \(state) --without-looking
            """
    }

    /// Entries that `--all` skips because of the entries that they need.
    static func stranded(_ entries: [EntrySummary]) -> String {
        var creates: [String] = []
        for create in entries.compactMap(\.needs) where !creates.contains(create) { creates.append(create) }
        let isOne = entries.count == 1
        let first = creates.first.map { "\nTo see the reason and the next step, run: homing why \(EntryText.shortID($0))" } ?? ""
        let needed = creates.prefix(3).map { EntryText.shortID($0) } + (creates.count > 3 ? ["\(creates.count - 3) more"] : [])
        return """
            \(Words.entries(entries).capitalisedFirst) \(isOne ? "was" : "were") skipped: \(isOne ? "it needs" : "they need") \
            \(creates.count == 1 ? "entry" : "entries") \(needed.inWords), which \(creates.count == 1 ? "is" : "are") not retried.
            """ + first
    }

    private static func backends(_ entries: [EntrySummary]) -> String { Set(entries.map(\.backend)).sorted().inWords.printable }

    static func done(_ entries: [EntrySummary], _ obstacles: [Obstacle]) -> String {
        let free = entries.count - obstacles.reduce(0) { $0 + $1.count }
        var lines: [String] = []
        // Another refusal ends the tries.
        let isRefused = entries.contains(where: \.hasRefusal)
        if free > 0 {
            let limit = isRefused ? "" : ", up to three times\(free == 1 ? "" : " each")"
            lines.append("\(Words.entries(free).capitalisedFirst) will be tried again\(limit).")
        }
        if isRefused {
            lines.append(
                "An entry that the server refused may be refused again unless the cause is fixed. To see the last answer, run: homing show ID"
            )
        }
        let looked = entries.count { $0.uncertain && $0.canBeLookedUp }
        if looked > 0 {
            let who = looked < entries.count ? "\(looked) of them" : looked == 1 ? "It" : "They"
            lines.append(
                "\(who) may already have taken effect. Homing looks \(looked == 1 ? "it" : "them") up before it sends anything again.")
        }
        lines += EntryText.overwriting(entries)
        lines += obstacles.flatMap { obstacle in
            let count = obstacle.count
            return [
                "\(Words.entries(count).capitalisedFirst) cannot be tried yet. \(obstacle.why.sentence.printable.withShortIDs)"
            ]
                + [obstacle.why.next?.printableLines.withShortIDs].compactMap(\.self)
        }
        return lines.joined(separator: "\n")
    }
}
