import ControlAPI
import SyncModel

/// The first page: whether everything is delivered, what needs a person, and the latest deliveries.
struct Overview: Sendable {
    var status: Status
    /// Failed entries, entries on hold, and waiting ones that the server refuses alone, each with its reason; none that is being discarded.
    var cases: [Case] = []
    /// Entries that can still be restored.
    var discarded: [EntrySummary] = []
    /// Newest first.
    var delivered: [EntrySummary] = []

    struct Case: Sendable {
        var entry: EntrySummary
        var why: Explanation
    }

    enum Mood: String { case good, waiting, attention }

    var mood: Mood {
        if !status.attention.isEmpty { return .attention }
        let isBusy = status.backends.contains { $0.queue.waiting > 0 } || (status.spool?.waiting ?? 0) > 0
        return isBusy ? .waiting : .good
    }

    func page(_ desk: Desk) -> Page {
        Page(
            desk.words["tab.overview"], tab: .overview,
            """
            <h1 class="unseen">\(desk.words["tab.overview"])</h1>
            <div id="sentence" data-live role="status">\(sentence(desk))</div>
            <div id="needs" data-live>\(needs(desk))</div>
            <div id="undo" data-live>\(undo(desk))</div>
            <div id="latest" data-live>\(latest(desk))</div>
            """)
    }

    private func sentence(_ desk: Desk) -> HTML {
        let facts: [HTML] = status.backends.map { backend in
            """
            <li><b>\(HTML.outside(backend.name))</b> \(desk.counts(backend.queue)) \
            \(backend.lastDelivered.map { "<span class=\"count\">\(desk.words["last.delivered"]) \(desk.time($0))</span>" })\
            \(resume(backend, desk))</li>
            """
        }
        return """
            <div class="mood \(mood.rawValue)"><span class="sign" aria-hidden="true"></span>\
            <div><p class="label">\(desk.words["mood.\(mood.rawValue)"])</p><p class="sentence">\(desk.told(status))</p>\
            <ul class="facts">\(facts)</ul></div></div>
            """
    }

    private func resume(_ backend: BackendReport, _ desk: Desk) -> HTML? {
        guard backend.knownGate == .paused, desk.access >= .operate else { return nil }
        return desk.button(desk.words["resume"], ["resume"], .quiet, about: backend.name, fields: ["backend": backend.name])
    }

    private func needs(_ desk: Desk) -> HTML {
        guard !status.attention.isEmpty else { return "" }
        let items = status.attention.map { item($0, desk) }
        return "<h2>\(desk.words["needs"])</h2><ul class=\"needs\">\(items)</ul>"
    }

    private func item(_ item: Attention, _ desk: Desk) -> HTML {
        let title: HTML? = desk.words.known("attention.\(item.code)").map { "<h3>\($0)</h3>" }
        let actions = actions(for: item, desk)
        let own = cases(of: item)
        let shown: [HTML] = own.prefix(Self.shown).map(desk.row)
        let list: HTML? = shown.isEmpty ? nil : "<ul class=\"entries\">\(shown)</ul>"
        let isSolved = !actions.isEmpty || !shown.isEmpty
        let next: HTML =
            isSolved
            ? "<details><summary>\(desk.words["terminal"])</summary><p class=\"next\">\(desk.step(item))</p></details>"
            : "<p class=\"next\">\(desk.step(item))</p>"
        return """
            <li class="need">\(title)<p>\(desk.told(item))</p>\(list)<div class="actions">\(actions)</div>\(next)</li>
            """
    }

    static let shown = 10

    private func cases(of item: Attention) -> [Case] {
        let state: Entry.State
        switch item.knownCode {
        case .dead: state = .dead
        case .held: state = .held
        // Each route that refuses an entry has a notice.
        case .routeFailing: return cases.filter { $0.entry.knownState == .pending && $0.entry.id == item.facts?.entry }
        default: return []
        }
        return cases.filter { $0.entry.knownState == state && (item.backend == nil || item.backend == $0.entry.backend) }
    }

    private func actions(for item: Attention, _ desk: Desk) -> [HTML] {
        let words = desk.words
        let isList = [.dead, .held].contains(item.knownCode)
        guard desk.access >= .operate || isList else { return [] }
        let backend: KeyValuePairs<String, String> = item.backend.map { ["backend": $0] } ?? [:]
        switch item.knownCode {
        case .dead, .held:
            let all = desk.link("queue", query: ["state": item.code])
            return [desk.go(words["show.all"], all, .quiet, about: words["state.plural.\(item.code)"])]
        case .signInRequired, .sessionFailing:
            return [desk.signIn(at: item.backend)]
        case .otherAccount: return [desk.go(words["tab.accounts"], desk.link("accounts"), .quiet)]
        case .paused: return [desk.button(words["resume"], ["resume"], about: item.backend, fields: backend)]
        case .unclaimedFiles:
            guard let session = status.backends.first(where: { $0.name == item.backend })?.session, let account = session.account else {
                return []
            }
            let label = words["claim", ["account": session.email ?? account]]
            return [desk.button(label, ["claim"], fields: ["backend": session.backend, "account": account])]
        case .lookUpFailing, .routeFailing, .noSecureConnection, .clock, .networkSignIn:
            return [desk.button(words["try.now"], ["sync"], about: item.backend, fields: backend)]
        case .refusedFiles:
            return (status.spool?.refusedFiles ?? []).map { name in
                desk.go(words["file.discard", ["file": name]], desk.link("file", "discard", query: ["name": name]), .quiet)
            }
        // For the administrator, or at another place.
        case .storeGone, .storeDamaged, .keyDeleted, .diskFull, .diskLow, .outboxFull, .noProfile, .otherAddress, .misconfigured,
            .dropFolderFailing, .stuckFiles, .listFailing, .configurationRejected, .unknown:
            return []
        }
    }

    private func undo(_ desk: Desk) -> HTML {
        guard !discarded.isEmpty, desk.access >= .administer else { return "" }
        let rows: [HTML] = discarded.map { entry in
            let name = desk.words.name(entry)
            let restore = desk.button(desk.words["restore"], ["entry", entry.id, "restore"], .quiet, about: name)
            return """
                <li class="entry"><div><b>\(desk.name(entry))</b> <span class="faint">\(desk.words["until"]) \
                \(desk.time(entry.discardAt ?? desk.moment.now))</span></div><div class="actions">\(restore)</div></li>
                """
        }
        return "<h2>\(desk.words["discarded"])</h2><ul class=\"entries\">\(rows)</ul>"
    }

    private func latest(_ desk: Desk) -> HTML {
        guard !delivered.isEmpty else { return "" }
        return """
            <h2>\(desk.words["latest"])</h2>\(desk.table(delivered))\
            <p>\(desk.go(desk.words["show.all"], desk.link("delivered"), .quiet, about: desk.words["tab.delivered"]))</p>
            """
    }
}
