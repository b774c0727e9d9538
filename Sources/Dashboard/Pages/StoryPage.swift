import ControlAPI
import Foundation
import SyncModel

/// One entry: why it is in its state, its story, its fields and its receipt.
struct StoryPage: Sendable {
    var detail: EntryDetail
    var why: Explanation
    /// Nil before its outcome.
    var receipt: ReceiptReport?
    /// It waits for a sign-in at its backend.
    var needsSignIn = false

    private var entry: EntrySummary { detail.entry }

    func page(_ desk: Desk) -> Page {
        Page(
            desk.words.name(entry), tab: entry.isUndelivered ? .queue : .delivered,
            """
            <h1 dir="auto">\(desk.name(entry))</h1>
            <div id="state" data-live role="status"><p>\(desk.badge(entry))</p><p class="sentence">\(desk.told(why, of: entry))</p>\
            \(next(desk))<div class="actions">\(signIn(desk))\(desk.actions(entry, why))</div></div>
            <div id="doubt" data-live>\(doubt(desk))</div>
            <h2>\(desk.words["story"])</h2>
            <div id="story" data-live><ol class="story">\(story(desk))</ol></div>
            <h2>\(desk.words["facts"])</h2>
            <div id="facts" data-live>\(facts(desk))</div>
            <div id="receipt" data-live>\(receiptPart(desk))</div>
            <div id="payload" data-live>\(payload(desk))</div>
            """)
    }

    /// The receipt is on the page.
    private func next(_ desk: Desk) -> HTML? {
        entry.isUndelivered ? desk.step(why, of: entry).map { "<p class=\"next\">\($0)</p>" } : nil
    }

    private func signIn(_ desk: Desk) -> HTML? {
        needsSignIn && desk.access >= .operate ? desk.signIn(at: entry.backend) : nil
    }

    /// A person says whether an unknown outcome took effect.
    private func doubt(_ desk: Desk) -> HTML {
        guard desk.access >= .operate, why.allows(.resolve) else { return "" }
        let words = desk.words
        return """
            <section class="card" id="resolve"><h2>\(words["doubt"])</h2><p>\(words["doubt.how", ["backend": entry.backend]])</p>\
            <div class="actions">\(desk.go(words["doubt.yes"], desk.link("entry", entry.id, "resolve")))\
            \(desk.button(words["doubt.no"], ["entry", entry.id, "resolve"], .quiet, fields: ["delivered": "no"]))</div></section>
            """
    }

    private func story(_ desk: Desk) -> [HTML] {
        let words = desk.words
        var steps: [HTML] = []
        func step(_ kind: String, _ date: Date?, _ title: String, _ more: HTML? = nil) {
            let when: HTML = date.map { desk.preciseTime($0) } ?? "\(words["now"])"
            steps.append("<li class=\"\(kind)\"><p>\(when) <b>\(title)</b></p>\(more)</li>")
        }
        if abs(entry.acceptedAt.timeIntervalSince(entry.capturedAt)) >= 1 { step("done", entry.capturedAt, words["captured"]) }
        step("done", entry.acceptedAt, words["accepted"])
        for attempt in detail.attempts {
            let status: HTML? = attempt.status.map { "<span class=\"faint\">HTTP \($0)</span> " }
            let message = attempt.message.flatMap { message in
                desk.quoted(words.isEnglish ? message : Failure.serverWords(in: message, of: entry.backend))
            }
            let said: HTML? = status == nil && message == nil ? nil : "<p>\(status)\(message)</p>"
            let isGood = attempt.verdict == Verdict.Name.accepted.rawValue
            let title = words["tried", ["result": isGood ? words["taken"] : words.verdict(attempt.verdict)]]
            let counted: HTML? = attempt.counted ? "<p class=\"faint\">\(words["counted"])</p>" : nil
            step(isGood ? "done" : "failed", attempt.startedAt, title, "\(said)\(counted)")
        }
        if let settled = entry.settledAt, !entry.isUndelivered {
            step(entry.state == "delivered" ? "done" : "gone", settled, words.state(entry.state).capitalisedFirst)
        } else if entry.knownState == .pending {
            let isPaused = entry.paused == true
            let title = isPaused ? "waits.paused" : entry.behind == nil ? "next.try" : "waits.behind"
            step("next", entry.dueAt.flatMap { $0 > desk.moment.now && !isPaused ? $0 : nil }, words[title])
        } else if entry.isUndelivered {
            step("next", nil, words.state(of: entry).capitalisedFirst)
        }
        return steps
    }

    private func facts(_ desk: Desk) -> HTML {
        let words = desk.words
        var facts: [(String, HTML)] = [
            ("id", "<code>\(entry.id)</code>"), ("number", "\(entry.sequence)"), ("backend", .outside(entry.backend)),
            ("lane", "<code>\(HTML.outside(entry.lane))</code>"), ("size", "\(words.size(entry.size))"),
        ]
        if let subject = entry.subject { facts.insert(("for", .outside(desk.words.name(subject))), at: 0) }
        for (name, value) in (detail.fields ?? [:]).sorted(by: { $0.key < $1.key }) { facts.append(("field:\(name)", .outside(value))) }
        if let first = entry.behind { facts.append(("behind", "<a href=\"\(desk.link("entry", first))\">\(EntryName.short(first))</a>")) }
        if let next = entry.supersededBy {
            facts.append(("replaced", "<a href=\"\(desk.link("entry", next))\">\(EntryName.short(next))</a>"))
        }
        return desk.facts(facts)
    }

    private func receiptPart(_ desk: Desk) -> HTML {
        guard let receipt else { return "" }
        let words = desk.words
        var facts: [(String, HTML)] = [
            ("outcome", desk.badge(receipt.outcome, words.state(receipt.outcome))), ("settled", desk.time(receipt.settledAt)),
            ("account", .outside(receipt.email ?? receipt.account)),
        ]
        if let id = receipt.remoteID { facts.append(("remote", .outside(id))) }
        if let status = receipt.status { facts.append(("status", "\(status)")) }
        if receipt.foundByLookup { facts.append(("proof", "\(words["found"])")) }
        if let pointer = receipt.altered { facts.append(("altered", "<code>\(pointer.isEmpty ? "/" : pointer)</code>")) }
        if receipt.unverified == true { facts.append(("unverified", "\(words["unverified"])")) }
        if let who = receipt.discardedBy { facts.append(("by", .outside(who))) }
        if let who = receipt.resolvedBy { facts.append(("by", .outside(who))) }
        return "<h2>\(words["receipt"])</h2>\(desk.facts(facts))"
    }

    private func payload(_ desk: Desk) -> HTML {
        guard entry.size > 0, desk.access >= .administer || !entry.isUndelivered else { return "" }
        guard entry.isUndelivered else { return "<p class=\"faint\">\(desk.words["payload.gone"])</p>" }
        return """
            <h2>\(desk.words["payload"])</h2><p class="faint">\(desk.words["face.recorded"])</p>\
            <p>\(desk.go(desk.words["face.show"], desk.link("entry", entry.id, "face"), .quiet))</p>
            """
    }
}

extension Desk {
    /// The names are keys of the catalogue, or follow `field:`.
    func facts(_ facts: [(name: String, value: HTML)]) -> HTML {
        let rows: [HTML] = facts.map { name, value in
            let title = name.hasPrefix("field:") ? String(name.dropFirst(6)) : words["fact.\(name)"]
            return "<div><dt><bdi>\(title)</bdi></dt><dd>\(value)</dd></div>"
        }
        return "<dl>\(rows)</dl>"
    }
}
