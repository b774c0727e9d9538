import ControlAPI
import Foundation
import SyncModel

extension Desk {
    /// The summary of the station: all delivered, or the reasons why not.
    func told(_ status: Status) -> HTML {
        guard !words.isEnglish else { return said(status.sentence) }
        func needs(_ codes: [Attention.Code]) -> [HTML] {
            let items = status.attention.filter { codes.contains($0.knownCode) }
            return items.compactMap { item in self.sentences(of: item).map(joined) }
        }
        let first = needs([.storeGone, .storeDamaged, .keyDeleted]) + situation(status, needs)
        let also = needs([
            .refusedFiles, .stuckFiles, .dropFolderFailing, .unclaimedFiles, .outboxFull, .diskLow, .configurationRejected,
        ])
        return told(first + also)
    }

    private func situation(_ status: Status, _ needs: ([Attention.Code]) -> [HTML]) -> [HTML] {
        let pending = status.backends.flatMap { waiting(at: $0) } + files(status)
        let (urgent, unseen) = (needs([.diskFull, .noProfile]), needs([.lookUpFailing]))
        if !urgent.isEmpty { return urgent + pending }
        let queues = status.backends.map(\.queue)
        let failed = queues.map { $0.dead + $0.held }.reduce(0, +)
        if failed > 0 {
            let blocked = queues.map(\.blocked).reduce(0, +)
            let behind: [HTML] = blocked > 0 ? [HTML.plain(words.count("told.blocked", blocked))] : []
            return [HTML.plain(words.count("told.failed", failed))] + behind + pending
        }
        if !unseen.isEmpty || !pending.isEmpty { return unseen + pending }
        // Files wait there, as the notice says.
        if !needs([.dropFolderFailing]).isEmpty { return [] }
        let pauses = status.backends.compactMap { report in
            report.pause.flatMap { text("told.paused.idle", $0.facts, at: report.name) }
        }
        return finished(queues, status).map { HTML.plain($0) } + pauses
    }

    private func finished(_ queues: [QueueReport], _ status: Status) -> [String] {
        let (delivered, discarded) = (queues.map(\.delivered).reduce(0, +), queues.map(\.discarded).reduce(0, +))
        let discarding = queues.map(\.discarding).reduce(0, +)
        let also = discarding > 0 ? [words.count("told.discarding", discarding)] : []
        if delivered > 0 { return [words.count("told.done", delivered)] + also }
        if discarded > 0 { return [words.count("told.discarded", discarded)] + also }
        if !also.isEmpty { return also }
        return [words[status.backends.contains(where: \.session.isSignedIn) ? "told.ready" : "told.idle"]]
    }

    /// The files that were dropped and are not stored yet, without those that have a notice.
    private func files(_ status: Status) -> [HTML] {
        func has(_ code: Attention.Code) -> Bool { status.attention.contains { $0.knownCode == code } }
        let files = status.spool?.waitingFiles(isFailing: has(.dropFolderFailing), isClaimable: has(.unclaimedFiles)) ?? 0
        return files > 0 ? [HTML.plain(words.count("told.files", files))] : []
    }

    /// Why the entries of a backend wait; empty if none do.
    private func waiting(at report: BackendReport) -> [HTML] {
        let others = report.otherAccounts.map(\.waiting).reduce(0, +)
        let former = report.waitingForFormerAddress ?? 0
        let isKnown = report.session.account != nil
        let own = report.queue.waiting - former - (isKnown ? others + report.queue.unseen + report.queue.blocked : 0)
        func told(_ key: String, _ count: Int, _ facts: SentenceFacts = SentenceFacts()) -> HTML? {
            var facts = facts
            facts.count = count
            return count > 0 ? text(key, facts, at: report.name) : nil
        }
        // During a pause, only those that need a person.
        let routes = (report.coolingRoutes ?? []).filter { report.pause == nil || $0.entry != nil }.map { route in
            let facts = SentenceFacts { $0.title = route.kind }
            return text(route.entry == nil ? "told.route" : "told.route.one", facts, at: report.name)
        }
        let sentences = [
            told(situation(of: report), own, facts(of: report)), isKnown ? told("told.others", others) : nil, told("told.former", former),
        ]
        return (sentences + (own > 0 && report.session.isSignedIn ? routes : [])).compactMap(\.self)
    }

    /// The key of the sentence about its waiting entries.
    private func situation(of report: BackendReport) -> String {
        if let pause = report.pause { return pause.until == nil ? "told.paused" : "told.paused.until" }
        if !report.session.isSignedIn { return "told.signed.out" }
        if report.knownGate == .cooling { return "told.cooling" }
        let isLater = report.queue.inflight == 0 && report.nextTry.map { $0.timeIntervalSince(moment.now) > 60 } ?? false
        return isLater ? "told.waiting" : "told.sending"
    }

    private func facts(of report: BackendReport) -> SentenceFacts {
        var facts = report.pause?.facts ?? SentenceFacts()
        (facts.account, facts.reason, facts.at) = (report.awaited, report.gateCause, report.nextTry)
        return facts
    }

    /// Why an account's entries are not sent; nil while they are.
    func gate(of report: BackendReport) -> HTML? {
        guard !words.isEnglish else { return report.gateReason.map(said) }
        switch report.knownGate {
        case .cooling: return told([text("told.gate", facts(of: report), at: report.name)])
        case .paused:
            let key = report.pause?.until == nil ? "told.paused.idle" : "told.paused.idle.until"
            return "\(told([text(key, facts(of: report), at: report.name)])) \(quoted(report.pause?.reason.nonEmpty))"
        case .open, .signInRequired, .unknown: return nil
        }
    }

    /// A sign-out that the server has not heard of.
    func told(_ owed: OwedSignOutReport, at backend: String) -> HTML {
        guard !words.isEnglish else { return said(owed.sentence) }
        let facts = SentenceFacts { ($0.account, $0.at) = (owed.email ?? owed.account, owed.until) }
        return told([text("told.owed", facts, at: backend)])
    }

    /// Why a session ended. The daemon states it only in words, so only in English.
    func ending(_ words: String?) -> HTML? { self.words.isEnglish ? words.map(said) : nil }

    /// Nil while it can be renewed.
    func failing(_ session: SessionReport) -> HTML? {
        guard let failure = session.failure else { return nil }
        guard !words.isEnglish else { return said(failure) }
        let facts = SentenceFacts { $0.since = session.failingSince }
        return told([text(session.failingSince == nil ? "told.failing" : "told.failing.since", facts)])
    }
}

extension PauseReport {
    fileprivate var facts: SentenceFacts { SentenceFacts { ($0.person, $0.since, $0.until) = (by, since, until) } }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
