import ControlAPI

/// The lists of the signed-in accounts, one at a time, with a search and with the number of waiting entries of each row.
struct PeoplePage: Sendable {
    /// All lists, for the choice.
    var lists: [RosterReport]
    /// Nil if there is none, or if none was read.
    var chosen: RosterPage?
    var find = ""
    /// Longest-waiting first, at most `mostLanes`.
    var lanes: [LaneReport] = []
    /// Why the list cannot be shown, such as while signed out.
    var problem: Problem?

    /// The most that the daemon lists.
    static let mostLanes = 100

    func page(_ desk: Desk) -> Page {
        let title = chosen?.roster.title.many.capitalisedFirst
        let heading: HTML = title.map(desk.foreign) ?? "\(desk.words["tab.people"])"
        return Page(
            title ?? desk.words["tab.people"], tab: .people, "<h1 dir=\"auto\">\(heading)</h1>\(choice(desk))\(content(desk))")
    }

    private func choice(_ desk: Desk) -> HTML {
        guard lists.count > 1 else { return "" }
        let links: [HTML] = lists.map { list in
            let isChosen = list.backend == chosen?.roster.backend && list.resource == chosen?.roster.resource
            let current: HTML = isChosen ? " aria-current=\"page\"" : ""
            let address = desk.link("people", query: ["backend": list.backend, "list": list.resource])
            let (name, backend) = (desk.foreign(list.title.many.capitalisedFirst), HTML.outside(list.backend))
            return "<li><a href=\"\(address)\"\(current)>\(name) <span class=\"faint\">\(backend)</span></a></li>"
        }
        return "<nav class=\"choice\" aria-label=\"\(desk.words["lists"])\"><ul>\(links)</ul></nav>"
    }

    private func content(_ desk: Desk) -> HTML {
        if let problem { return "<div id=\"rows\" data-live>\(desk.explain(problem))</div>" }
        guard let chosen else { return "<p>\(desk.words["people.none"])</p>\(desk.access >= .operate ? desk.signIn() : nil)" }
        let hidden: HTML = """
            <input type="hidden" name="backend" value="\(chosen.roster.backend)">\
            <input type="hidden" name="list" value="\(chosen.roster.resource)">
            """
        return """
            <form class="search" role="search" action="\(desk.link("people"))">\(hidden)<label for="find">\(desk.words["find"])</label>\
            <input id="find" name="find" type="search" value="\(find)" autocomplete="off"><button class="quiet">\(desk.words["search"])</button></form>
            <div id="rows" data-live><p>\(desk.told(chosen, find: find))</p>\(rows(chosen, desk))</div>
            """
    }

    private func rows(_ page: RosterPage, _ desk: Desk) -> HTML {
        guard !page.rows.isEmpty else { return "" }
        let list = page.roster
        let ownLanes = lanes.filter { $0.backend == list.backend && $0.account == list.account && $0.subject?.resource == list.resource }
        let waiting = Dictionary(grouping: ownLanes) { $0.subject?.id ?? "" }
        let isCut = lanes.count >= Self.mostLanes
        let note: HTML? = isCut ? "<p class=\"faint\">\(desk.words.count("counts.cut", lanes.count))</p>" : nil
        let rows: [HTML] = page.rows.map { row in
            let own = waiting[row.id] ?? []
            let count = own.reduce(0) { $0 + $1.waiting }
            let entries = desk.link("queue", query: ["backend": page.roster.backend, "user": row.id])
            let waits: HTML? = count > 0 ? "<a href=\"\(entries)\">\(desk.words.count("waiting", count))</a>" : nil
            let marks: [HTML] = [row.pending == nil ? nil : "new", row.deletion == nil ? nil : "deleting"].compactMap(\.self).map {
                "<span class=\"badge pending\">\(desk.words["row.\($0)"])</span>"
            }
            let name = HTML.outside(row.label.isEmpty ? row.id : desk.words.visible(row.label))
            let id = row.pending == nil ? row.id : "@" + row.id.suffix(12)
            return """
                <tr><th scope="row"><a href="\(entries)">\(name)</a> \(marks)</th><td data-name="\(desk.words["fact.id"])">\(HTML.outside(id))</td>\
                <td>\(waits)</td></tr>
                """
        }
        let next = page.next.map { after in
            let (backend, list) = (page.roster.backend, page.roster.resource)
            return desk.more(desk.link("people", query: ["backend": backend, "list": list, "find": find, "after": after]))
        }
        return """
            \(note)<div class="chunk"><table><thead><tr><th scope="col">\(desk.words["column.name"])</th><th scope="col">\(desk.words["fact.id"])</th>\
            <th scope="col">\(desk.words["column.waiting"])</th></tr></thead><tbody>\(rows)</tbody></table></div>\(next)
            """
    }
}

extension Desk {
    /// The next page, which a script adds to this one when it comes into view.
    func more(_ address: String) -> HTML {
        "<p class=\"more\" data-more><a class=\"button quiet\" href=\"\(address)\">\(words["more"])</a></p>"
    }

    func explain(_ problem: Problem) -> HTML {
        let way: HTML? = problem.code == .signInRequired && access >= .operate ? "<div class=\"actions\">\(signIn())</div>" : nil
        return """
            <div class="card grave"><p>\(told(problem))</p>\(details(problem))\
            \(step(problem).map { "<p class=\"next\">\($0)</p>" })\(way)</div>
            """
    }
}
