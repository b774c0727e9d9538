import ControlAPI
import Foundation
import SyncModel

extension Desk {
    /// The state of a list, and how many of its rows match a search.
    func told(_ page: RosterPage, find: String) -> HTML {
        let list = page.roster
        guard !words.isEnglish else { return said(list.sentence) }
        let facts = SentenceFacts {
            ($0.title, $0.count, $0.limit, $0.at) = (list.title, list.count ?? 0, list.total, list.readAt)
            ($0.reason, $0.account) = (list.failureCause, list.email)
        }
        func told(_ key: String) -> HTML? { text("list.\(key)", facts, at: list.backend) }
        func count(_ key: String, _ number: Int?) -> HTML? { number.flatMap { $0 > 0 ? HTML.plain(words.count("list.\(key)", $0)) : nil } }
        let new = count("new", list.new)
        switch list.knownState {
        case .signedOut, .unknown: return self.told([told("signed-out")])
        case .unread: return self.told([told(unread(list)), new])
        case .complete, .incomplete:
            let found = find.isEmpty ? told(list.count == 0 ? "empty" : "count") : count("found", page.matching) ?? told("found.none")
            let missing = list.knownReason.flatMap { told($0.rawValue) }
            return self.told([
                found, find.isEmpty ? nil : told("count"), count("created", list.created),
                find.isEmpty ? count("deleted", list.deleted) : nil, new, missing, obstacle(list).flatMap(told),
            ])
        }
    }

    private func unread(_ list: RosterReport) -> String {
        if list.reading { return "reading" }
        if list.paused == true { return "unread.paused" }
        return list.failureCause == nil ? "unread" : "unread.failed"
    }

    /// Why the list is not read again; nil if nothing prevents it.
    private func obstacle(_ list: RosterReport) -> String? {
        if list.paused == true, list.stale { return "paused" }
        return list.failureCause != nil && !list.reading ? "failing" : nil
    }

    /// Why a call failed.
    func told(_ problem: Problem) -> HTML {
        guard !words.isEnglish, let key = key(problem) else { return said(problem.detail) }
        return told([text(key, problem.facts ?? SentenceFacts())])
    }

    /// The most exact text about it; nil if the catalogue has none.
    private func key(_ problem: Problem) -> String? {
        let code = "problem.\(problem.code.rawValue)"
        return exactKey(problem) ?? (words.known(code) == nil ? nil : code)
    }

    /// The text of its reason.
    private func exactKey(_ problem: Problem) -> String? {
        let key = problem.facts?.reason.map { "problem.\(problem.code.rawValue).\($0)" }
        return key.flatMap { words.known($0) == nil ? nil : $0 }
    }

    /// The daemon's own words, if the sentence of the page lacks what they say.
    func details(_ problem: Problem) -> HTML? {
        guard !words.isEnglish, key(problem) != nil, Self.needDetails.contains(problem.code) else { return nil }
        guard exactKey(problem) == nil || !Self.areSaidInFull.contains(problem.code) else { return nil }
        return "<details><summary>\(words["told.details"])</summary><p>\(said(problem.detail))</p></details>"
    }

    func step(_ problem: Problem) -> HTML? {
        guard !words.isEnglish, let key = key(problem) else { return problem.next.map(said) }
        let facts = problem.facts ?? SentenceFacts()
        let timed = facts.wait == nil ? nil : text("\(key).step.wait", facts)
        return (timed ?? text("\(key).step", facts)).map { told([$0]) }
    }

    private static let needDetails: Set<Problem.Code> = [
        .invalidRequest, .signInRefused, .backendUnreachable, .backendMisbehaved, .unsupported, .idConflict, .notListed, .wrongState,
        .mayDuplicate, .storageFailed, .internalError,
    ]
    /// Codes whose exact texts lack no words of a server.
    private static let areSaidInFull: Set<Problem.Code> = [.invalidRequest, .notListed, .wrongState]
}
