import ControlAPI
import Foundation
import SyncModel

/// Pages that ask before something happens.
enum Questions {
    /// The right person for an entry, from the list that its field refers to.
    static func fix(_ entry: EntrySummary, _ page: RosterPage, find: String, _ desk: Desk) -> Page {
        let words = desk.words
        let title = words["fix.title", ["entry": words.name(entry)]]
        let rows: [HTML] = page.rows.filter { $0.id != entry.subject?.id && $0.pending == nil && $0.deletion == nil }.map { row in
            let label = words.visible(row.label)
            let person = "\(label) (\(row.id))"
            return """
                <li class="entry"><div><b>\(HTML.outside(label))</b> <span class="faint">\(HTML.outside(row.id))</span></div>\
                <div class="actions">\(desk.button(words["fix.choose"], ["entry", entry.id, "fix"], .quiet, about: person, fields: ["person": row.id]))</div></li>
                """
        }
        let next = page.next.map { desk.more(desk.link(["entry", entry.id, "fix"], query: ["find": find, "after": $0])) }
        return Page(
            title, tab: .queue, isLive: false,
            """
            \(desk.heading("fix.title", entry))<p dir="auto">\(words["fix.how", ["now": entry.subject.map(words.name) ?? ""]])</p>
            <form class="search" role="search" action="\(desk.link("entry", entry.id, "fix"))"><label for="find">\(words["find"])</label>\
            <input id="find" name="find" type="search" value="\(find)" autocomplete="off"><button class="quiet">\(words["search"])</button></form>
            <ul class="entries">\(rows)</ul>\(next)
            <p>\(desk.go(words["cancel"], desk.link("entry", entry.id), .quiet))</p>
            """)
    }

    /// The outcome of an entry that the server has. There is no undo.
    static func delivered(_ entry: EntrySummary, _ desk: Desk) -> Page {
        let words = desk.words
        let title = words["resolve.title", ["entry": words.name(entry)]]
        return Page(
            title, tab: .queue, isLive: false,
            """
            \(desk.heading("resolve.title", entry))
            <form class="card" method="post" action="\(desk.link("entry", entry.id, "resolve"))">\(desk.key)\
            <input type="hidden" name="delivered" value="yes"><p>\(words["resolve.how"])</p>\
            <label for="remote">\(words["remote.id"])</label><input id="remote" name="remote" autocomplete="off">\
            <div class="actions"><button class="grave">\(words["doubt.yes"])</button>\
            \(desk.go(words["cancel"], desk.link("entry", entry.id), .quiet))</div></form>
            """)
    }

    /// - Parameter choice: the entry, with those that are discarded or held with it.
    static func discard(_ entry: EntrySummary, _ choice: DiscardChoice, _ desk: Desk) -> Page {
        let words = desk.words
        let title = words["discard.title", ["entry": words.name(entry)]]
        func list(_ key: String, _ entries: [EntrySummary]) -> HTML? {
            let items: [HTML] = entries.map { "<li>\(desk.name($0)) \(desk.badge($0))</li>" }
            return entries.isEmpty ? nil : "<p>\(words.count(key, entries.count))</p><ul>\(items)</ul>"
        }
        let doubt: HTML? = entry.uncertain ? "<p>\(words["discard.doubt"])</p>" : nil
        return Page(
            title, tab: .queue, isLive: false,
            """
            \(desk.heading("discard.title", entry))
            <form class="card" method="post" action="\(desk.link("entry", entry.id, "discard"))">\(desk.key)\
            <p>\(words["discard.how"])</p>\(doubt)\(list("discard.also", choice.followers))\(list("discard.holds", choice.stranded))\
            <label for="reason">\(words["reason"])</label><input id="reason" name="reason" maxlength="\(DiscardRequest.longestReason)" autocomplete="off">\
            <div class="actions"><button class="grave">\(words["discard"])</button>\
            \(desk.go(words["cancel"], desk.link("entry", entry.id), .quiet))</div></form>
            """)
    }

    /// A refused file of the drop folder. There is no undo, so a reason is required.
    static func discard(file name: String, _ desk: Desk) -> Page {
        let words = desk.words
        let title = words["file.title", ["file": name]]
        return Page(
            title, tab: .overview, isLive: false,
            """
            <h1 dir="auto">\(title)</h1>
            <form class="card" method="post" action="\(desk.link("file", "discard"))">\(desk.key)<input type="hidden" name="name" value="\(name)">\
            <p>\(words["file.how"])</p>\
            <label for="reason">\(words["reason"])</label>\
            <input id="reason" name="reason" required maxlength="\(DiscardRequest.longestReason)" autocomplete="off">\
            <div class="actions"><button class="grave">\(words["file.button"])</button>\(desk.go(words["cancel"], desk.link(), .quiet))</div></form>
            """)
    }
}
