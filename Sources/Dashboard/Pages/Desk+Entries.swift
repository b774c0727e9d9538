import ControlAPI
import SyncModel

extension Desk {
    /// `3 waiting, 1 failed, 8 delivered`; omits states without entries.
    func counts(_ queue: QueueReport) -> HTML {
        let parts = [
            (queue.pending, "pending"), (queue.inflight, "inflight"), (queue.held, "held"), (queue.dead, "dead"),
            (queue.delivered, "delivered"), (queue.discarded, "discarded"),
        ]
        let known: [HTML] = parts.filter { $0.0 > 0 }.map { "<span class=\"count\">\(words.number($0.0)) \(words.state($0.1))</span> " }
        return known.isEmpty ? "\(words["none.yet"])" : "\(known)"
    }

    func badge(_ entry: EntrySummary) -> HTML { badge(entry.state, words.state(of: entry)) }

    func badge(_ state: String, _ text: String) -> HTML {
        // A class of its own only for states that the style sheet knows.
        let known = Entry.State(rawValue: state)?.rawValue ?? "pending"
        return "<span class=\"badge \(known)\">\(text)</span>"
    }

    func entryLink(_ entry: EntrySummary) -> HTML { "<a href=\"\(link("entry", entry.id))\">\(name(entry))</a>" }

    /// The entry's name from the catalogue, with the words of the profile marked.
    func name(_ entry: EntrySummary) -> HTML {
        words.isEnglish ? .outside(words.name(entry)) : name(entry.kind, of: entry.subject)
    }

    /// `Measurement · Anna Example (5)`.
    func name(_ title: RosterTitle, of subject: SubjectReport?) -> HTML {
        guard !words.isEnglish else { return .outside(words.name(title, of: subject)) }
        let row: HTML? = subject.map { " · \(HTML.outside(words.name($0)))" }
        return "\(kind(title))\(row)"
    }

    /// `Measurement`.
    func kind(_ title: RosterTitle) -> HTML {
        guard let key = words.key(of: title), let word = title.word else { return foreign(title.one.capitalisedFirst) }
        return words.markup(key) { $0 == "word" ? foreign(word) : nil } ?? foreign(title.one.capitalisedFirst)
    }

    /// A heading with the name of an entry.
    func heading(_ key: String, _ entry: EntrySummary) -> HTML {
        "<h1 dir=\"auto\">\(words.markup(key) { $0 == "entry" ? name(entry) : nil })</h1>"
    }

    /// An entry that needs a person: what it is, why, and what to do.
    func row(_ item: Overview.Case) -> HTML {
        """
        <li class="entry"><div><p>\(entryLink(item.entry)) \(badge(item.entry))</p>\
        <p class="why">\(told(item.why, of: item.entry))</p></div>\
        <div class="actions">\(actions(item.entry, item.why))</div></li>
        """
    }

    /// The buttons of an entry: what the daemon allows, as far as the page has a form for it.
    func actions(_ entry: EntrySummary, _ why: Explanation) -> [HTML] {
        guard access >= .operate else { return [] }
        let name = words.name(entry)
        let destroys = access >= .administer
        var actions: [HTML] = []
        if why.allows(.restore), destroys { actions.append(button(words["restore"], ["entry", entry.id, "restore"], about: name)) }
        if why.allows(.retry) { actions.append(button(words["retry"], ["entry", entry.id, "retry"], about: name)) }
        if why.allows(.resolve) { actions.append(go(words["resolve"], link("entry", entry.id) + "#resolve", about: name)) }
        if offersFix(of: entry, why) {
            actions.append(go(words["fix"], link("entry", entry.id, "fix"), .quiet, about: name))
        }
        if why.allows(.discard), destroys {
            actions.append(go(words["discard"], link("entry", entry.id, "discard"), .grave, about: name))
        }
        return actions
    }

    /// True if the page has a form for another row of the entry.
    func offersFix(of entry: EntrySummary, _ why: Explanation) -> Bool {
        access >= .operate && why.allows(.fix) && entry.subject != nil && entry.newRow == nil
    }

    /// - Parameter backend: nil if it is not known, which leads to the accounts if there are several.
    func signIn(at backend: String? = nil) -> HTML {
        let query: KeyValuePairs<String, String> = backend.map { ["backend": $0] } ?? [:]
        return go(words["sign.in"], link(["accounts", "sign-in"], query: query), about: backend)
    }

    func table(_ entries: [EntrySummary]) -> HTML {
        let rows = entries.map(tableRow)
        return """
            <div class="chunk"><table><thead><tr><th scope="col">\(words["column.entry"])</th><th scope="col">\(words["column.state"])</th>\
            <th scope="col">\(words["column.captured"])</th><th scope="col">\(words["column.about"])</th></tr></thead>\
            <tbody>\(rows)</tbody></table></div>
            """
    }

    private func tableRow(_ entry: EntrySummary) -> HTML {
        """
        <tr><th scope="row">\(entryLink(entry))</th><td>\(badge(entry))</td>\
        <td data-name="\(words["column.captured"])">\(time(entry.capturedAt))</td><td>\(about(entry))</td></tr>
        """
    }

    /// Nothing without one.
    func serverID(_ id: String?) -> HTML { id.map { HTML.outside(words["server.id", ["id": $0]]) } ?? "" }

    private func about(_ entry: EntrySummary) -> HTML {
        if entry.knownState == .delivered { return serverID(entry.remoteID) }
        if entry.paused == true { return "\(words["waits.paused"])" }
        if let first = entry.behind {
            return "<a href=\"\(link("entry", first))\">\(words["after.entry", ["id": EntryName.short(first)]])</a>"
        }
        if let error = entry.lastError, let answer = answer(error, status: entry.lastStatus, at: entry.backend) { return answer }
        guard entry.knownState == .pending, let due = entry.dueAt, due > moment.now else { return "" }
        return "\(words["next.try"]) \(time(due))"
    }
}
