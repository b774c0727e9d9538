import ControlAPI
import SyncModel

/// The lanes with their first entries, and the entries of a state or of a person, page by page.
struct QueuePage: Sendable {
    var query: EntryQuery
    var entries: EntryPage
    /// Longest-waiting first; empty while the list is filtered by person.
    var lanes: [LaneReport] = []

    static let states = ["pending", "held", "dead", "inflight"]

    func page(_ desk: Desk) -> Page {
        let title = desk.words["tab.queue"]
        let filter = query.user.map { user in
            let name = entries.entries.lazy.compactMap(\.subject).first { $0.id == user }.map(desk.words.name) ?? user
            return desk.words["queue.of", ["name": name]]
        }
        return Page(
            title, tab: .queue,
            """
            <h1 dir="auto">\(filter ?? title)</h1>\(faces(desk))
            <div id="lanes" data-live>\(laneTable(desk))</div>
            <h2>\(desk.words["entries"])</h2>
            <nav class="choice" aria-label="\(desk.words["column.state"])"><ul>\(choices(desk))</ul></nav>
            <div id="entries" data-live>\(list(desk))</div>
            """)
    }

    /// Leads to the captured faces of the person, for those who may read payloads.
    private func faces(_ desk: Desk) -> HTML? {
        guard let user = query.user, desk.access >= .administer else { return nil }
        guard let first = entries.entries.first(where: { $0.size > 0 }) else { return nil }
        let address = desk.link(["people", "faces"], query: ["backend": first.backend, "user": user])
        return "<p>\(desk.go(desk.words["faces.show"], address, .quiet))</p><p class=\"faint\">\(desk.words["face.recorded"])</p>"
    }

    private func choices(_ desk: Desk) -> [HTML] {
        ([""] + Self.states).map { state in
            let current: HTML = state == query.state ?? "" ? " aria-current=\"page\"" : ""
            let label = state.isEmpty ? desk.words["state.all"] : desk.words.state(state).capitalisedFirst
            return "<li><a href=\"\(address(state: state, after: nil, desk))\"\(current)>\(label)</a></li>"
        }
    }

    private func address(state: String?, after: Int64?, _ desk: Desk) -> String {
        desk.link(
            "queue",
            query: ["state": state ?? "", "backend": query.backend ?? "", "user": query.user ?? "", "after": after.map(String.init) ?? ""])
    }

    private func list(_ desk: Desk) -> HTML {
        guard !entries.entries.isEmpty else { return "<p>\(desk.words["entries.none"])</p>" }
        let total = desk.words.count(entries.totalIsLeast == true ? "entries.least" : "entries.total", entries.total)
        let next = entries.next.map { desk.more(address(state: query.state, after: $0, desk)) }
        return "<p class=\"faint\">\(total)</p>\(desk.table(entries.entries))\(next)"
    }

    private func laneTable(_ desk: Desk) -> HTML {
        guard !lanes.isEmpty else { return "" }
        let words = desk.words
        let rows: [HTML] = lanes.map { lane in
            let due: HTML? = lane.dueAt.flatMap { $0 > desk.moment.now ? "\(words["next.try"]) \(desk.time($0))" : nil }
            return """
                <tr><th scope="row"><a href="\(desk.link("entry", lane.head))">\(HTML.outside(lane.subject.map(words.name) ?? lane.lane))</a></th>\
                <td>\(words.count("waiting", lane.waiting))</td><td>\(desk.badge(lane.state, words.state(lane.state)))</td>\
                <td>\(HTML.outside(lane.email ?? lane.account))</td><td>\(due)</td></tr>
                """
        }
        return """
            <h2>\(words["lanes"])</h2><div class="chunk"><table><thead><tr><th scope="col">\(words["column.lane"])</th><th scope="col">\(words["column.waiting"])</th>\
            <th scope="col">\(words["column.first"])</th><th scope="col">\(words["fact.account"])</th><th scope="col">\(words["column.about"])</th>\
            </tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}

/// The newest deliveries, or all receipts from the oldest.
struct DeliveredPage: Sendable {
    /// Newest first; empty if receipts are shown.
    var newest: [EntrySummary] = []
    var receipts: ReceiptPage?

    func page(_ desk: Desk) -> Page {
        let words = desk.words
        let title = words["tab.delivered"]
        let all = receipts == nil ? desk.go(words["receipts.all"], desk.link("delivered", query: ["after": "0"]), .quiet) : nil
        return Page(title, tab: .delivered, "<h1>\(title)</h1><div id=\"delivered\" data-live>\(list(desk))</div><p>\(all)</p>")
    }

    private func list(_ desk: Desk) -> HTML {
        if let receipts { return table(receipts, desk) }
        return newest.isEmpty ? "<p>\(desk.words["delivered.none"])</p>" : desk.table(newest)
    }

    private func table(_ page: ReceiptPage, _ desk: Desk) -> HTML {
        let words = desk.words
        let rows: [HTML] = page.receipts.map { receipt in
            """
            <tr><th scope="row"><a href="\(desk.link("entry", receipt.id))">\(desk.name(receipt.kind, of: receipt.subject))</a></th>\
            <td>\(desk.badge(receipt.outcome, words.state(receipt.outcome)))</td><td>\(desk.time(receipt.settledAt))</td>\
            <td>\(desk.serverID(receipt.remoteID))</td></tr>
            """
        }
        let next = page.next.map { desk.more(desk.link("delivered", query: ["after": String($0)])) }
        return """
            <div class="chunk"><table><thead><tr><th scope="col">\(words["column.entry"])</th><th scope="col">\(words["column.state"])</th>\
            <th scope="col">\(words["fact.settled"])</th><th scope="col">\(words["column.about"])</th></tr></thead>\
            <tbody>\(rows)</tbody></table></div>\(next)
            """
    }
}
