import ControlAPI
import Foundation
import SyncModel

extension Desk {
    /// Why an entry is in its state.
    func told(_ why: Explanation, of entry: EntrySummary) -> HTML {
        guard !words.isEnglish, let cause = why.knownCause, let facts = why.facts,
            let sentence = text("why.\(cause.rawValue)", facts, at: entry.backend)
        else { return said(why.sentence) }
        func more(_ name: String, if isTold: Bool) -> HTML? {
            isTold ? text("why.\(cause.rawValue).\(name)", facts, at: entry.backend) : nil
        }
        // The time of the next try, which the daemon states as long as it has not come.
        let isLater = facts.at.map { $0 > moment.now } ?? false
        let isUnsure = [.doubtfulReads, .doubtfulLooks, .doubtfulSends].contains(cause)
        let sentences: [HTML?] = [
            sentence, more("at", if: facts.at != nil), more("next", if: isLater), more("since", if: facts.since != nil),
            more("until", if: facts.until != nil), more("account", if: facts.account != nil),
            more("doubtful", if: facts.reason == Explanation.doubtful),
            more("refused", if: [.retried, .paused].contains(cause) && facts.reason == Failure.Reason.refused.rawValue),
            isUnsure ? nil : facts.status.map { HTML.plain(words["told.status", ["status": "\($0)"]]) },
            facts.later.map { HTML.plain(words.count("told.later", $0)) },
            facts.dependents.map { HTML.plain(words.count("told.dependents", $0)) },
        ]
        return "\(told(sentences)) \(quoted(facts.words))"
    }

    /// The next step for an entry. The commands are those of ‘homing why’.
    func step(_ why: Explanation, of entry: EntrySummary) -> HTML? {
        guard !words.isEnglish, let cause = why.knownCause, let facts = why.facts else { return why.next.map(said) }
        let command = HTML.plain(words["told.terminal", ["command": "homing why \(EntryName.short(entry.id))"]])
        guard why.needsPerson else { return told([HTML.plain(words["told.nothing"]), command]) }
        // A retry could make a second one.
        let isResolved = entry.retryMayDuplicate == true && Self.advisesRetry.contains(cause)
        let key = isResolved ? "told.resolve" : "why.\(cause.rawValue).step"
        let signIn = cause == .paused && facts.account != nil ? text("why.signed-out.step", facts, at: entry.backend) : nil
        // Only the words of the profile tell whether the person is the cause; they are quoted.
        let isRefused = [.refused, .refusedForNow].contains(cause) || (cause == .paused && facts.reason == Failure.Reason.refused.rawValue)
        let fix = isRefused && offersFix(of: entry, why) ? HTML.plain(words["told.fix"]) : nil
        return told([text(key, facts, at: entry.backend) ?? HTML.plain(words["told.step"]), fix, signIn, command])
    }

    /// The causes whose step is a retry.
    private static let advisesRetry: Set<Explanation.Cause> = [
        .refused, .attemptsFailed, .refusedAsSignedOut, .forbidden, .crashes, .dependency, .heldByPerson,
    ]
}
