import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import Salvage

/// The status sentence and the attention list. Pure: uses only these values.
struct StatusSummary {
    var backends: [BackendReport]
    let spool: SpoolReport
    /// The backend of dropped files; nil for the only one.
    var spoolBackend: String?
    /// Waiting files that cannot be taken.
    var stuckWaiting = 0
    /// Why the last sweep failed; nil if it did not.
    var spoolFailure: String?
    var unclaimed = UnclaimedFiles.ask
    /// Entries of backends without a profile, by backend name.
    var withoutProfile: [String: Int] = [:]
    var room = Room.enough
    /// Why the changed configuration is not active; nil if it is.
    var rejectedConfiguration: String?
    /// Salvage reports whose folders still exist.
    var damages: [SalvageReport] = []
    var moment: Moment

    var namesPeople = true

    /// A copy without e-mail addresses.
    var withoutNames: StatusSummary {
        var summary = self
        summary.namesPeople = false
        return summary
    }

    /// The summary of one backend, with its share of the station's state.
    func only(_ backend: BackendReport) -> StatusSummary {
        let isItsSpool = spoolBackend == nil || spoolBackend == backend.name
        return StatusSummary(
            backends: [backend], spool: isItsSpool ? spool : SpoolReport(directory: spool.directory, waiting: 0, refused: 0),
            spoolBackend: spoolBackend, stuckWaiting: isItsSpool ? stuckWaiting : 0, spoolFailure: isItsSpool ? spoolFailure : nil,
            unclaimed: unclaimed, room: room, rejectedConfiguration: rejectedConfiguration, moment: moment, namesPeople: namesPeople)
    }

    var sentence: String {
        var sentences =
            damages.map(\.sentence)
            + (attention.first?.knownCode == .refusedFiles ? refusedFiles + [situation] : [situation] + refusedFiles)
            + stuckFiles + failingSpool + unclaimedFiles
        if case .overLimit = room { sentences.append("The outbox is full: Homing accepts no new captures until deliveries make room.") }
        if rejectedConfiguration != nil { sentences.append("The changed configuration was rejected; the previous one is active.") }
        return sentences.joined(separator: " ")
    }

    /// Refused files are mentioned because their owner may believe that they were sent.
    private var refusedFiles: [String] {
        guard spool.refused > 0 else { return [] }
        let (what, whose, them) =
            spool.refused == 1
            ? ("1 dropped file was", "Its .reason file", "it")
            : ("\(spool.refused) dropped files were", "The .reason file beside each", "them")
        return ["\(what) refused and not sent. \(whose) in \(spool.directory)/refused says why; fix \(them) and drop \(them) again."]
    }

    /// Files that cannot be taken, if the main sentence mentions waiting entries.
    private var stuckFiles: [String] {
        guard stuckWaiting > 0, let file = spool.stuckExample, !waitingText.sentences.isEmpty || dead > 0 else { return [] }
        let what = "\(Self.droppedFiles(stuckWaiting)) cannot be accepted"
        // The reason may name a person.
        return [namesPeople ? "\(what): \(file.reason). \(file.next)" : "\(what)."]
    }

    /// A drop folder failure, if the main sentence does not report it.
    private var failingSpool: [String] {
        guard let text = spoolFailureText, !waitingText.sentences.isEmpty || dead > 0 else { return [] }
        return [text]
    }

    var spoolFailureText: String? {
        spoolFailure.map { failure in
            let files = untaken == 0 ? "" : " \(Self.droppedFiles(untaken)) \(untaken == 1 ? "is" : "are") waiting there."
            return "The drop folder cannot be emptied: \(failure.asSentence)\(files)"
        }
    }

    /// Files dropped while signed out, if an account is signed in now.
    private var unclaimedFiles: [String] {
        guard claimable > 0 else { return [] }
        return ["\(Self.droppedFiles(claimable)) \(claimable == 1 ? "has" : "have") not been claimed."]
    }

    /// Files that the signed-in account can claim; zero if signed out.
    var claimable: Int { spoolReport?.session.isSignedIn == true ? spool.unclaimed : 0 }

    /// Files that wait to be taken, or for a sign-in.
    var waitingFiles: Int { (spoolFailure == nil ? untaken : 0) + spool.unclaimed - claimable }

    private var untaken: Int { max(0, spool.waiting - stuckWaiting) }

    var spoolReport: BackendReport? { backends.first { spoolBackend == nil || $0.name == spoolBackend } }

    static func droppedFiles(_ count: Int) -> String { count == 1 ? "1 dropped file" : "\(count) dropped files" }

    private var dead: Int { total(\.queue.dead) + total(\.queue.held) }

    private var situation: String {
        let waiting = total(\.queue.waiting)
        if let (name, count) = withoutProfile.min(by: { $0.key < $1.key }) {
            return "\(Self.captures(count)) cannot be sent: the backend \(name) no longer has a profile."
        }
        if room == .diskFull {
            return (["The disk is full: Homing accepts no new captures."] + waitingText.sentences).joined(separator: " ")
        }
        if room == .nothingLeft {
            let safe =
                waiting == 0
                ? ""
                : " \(Self.captures(waiting)) \(waiting == 1 ? "is" : "are") safe here until there is room."
            return "The disk is full: Homing can neither accept nor send captures.\(safe)"
        }
        if dead > 0 {
            let blocked = total(\.queue.blocked)
            let place =
                blocked == 0
                ? ""
                : blocked == waiting ? " behind \(dead == 1 ? "it" : "them")" : ", \(blocked) of them behind \(dead == 1 ? "it" : "these")"
            let rest = waiting > 0 ? " \(Self.captures(waiting)) \(waiting == 1 ? "is" : "are") waiting\(place)." : ""
            return
                "\(Self.captures(dead)) \(dead == 1 ? "has failed or is on hold, and needs" : "have failed or are on hold, and need") your decision.\(rest)"
        }
        let unseen = total(\.queue.unseen)
        if unseen > 0 {
            let first = "\(Self.captures(unseen)) may already be delivered, but looking \(unseen == 1 ? "it" : "them") up keeps failing."
            let blocked = total(\.queue.blocked)
            let them = unseen == 1 ? "it" : "them"
            let behind = blocked == 0 ? [] : ["\(Self.captures(blocked)) \(blocked == 1 ? "is" : "are") waiting behind \(them)."]
            return ([first] + behind + waitingText.sentences).joined(separator: " ")
        }
        let sentences = waitingText.sentences
        if !sentences.isEmpty { return sentences.joined(separator: " ") }
        if let spoolFailureText { return spoolFailureText }
        if spool.stuck > 0 {
            return
                "\(spool.stuck == 1 ? "1 file" : "\(spool.stuck) files") in the drop folder cannot be accepted and \(spool.stuck == 1 ? "needs" : "need") your attention\(spool.refused + claimable == 0 ? "; everything else has been delivered" : "")."
        }
        let delivered = total(\.queue.delivered)
        let besides = spool.refused + claimable > 0 ? " else" : ""
        let discarded = total(\.queue.discarded)
        if delivered > 0 {
            let also = discarded > 0 ? ", \(discarded) more discarded" : ""
            return "Everything\(besides) has been delivered: \(Self.captures(delivered))\(also). Nothing\(besides) is waiting.\(pausedToo)"
        }
        if discarded > 0 {
            return "Nothing\(besides) is waiting: \(Self.captures(discarded)) \(discarded == 1 ? "was" : "were") discarded.\(pausedToo)"
        }
        return needsSignIn
            ? "Not signed in. Nothing\(besides) is waiting.\(pausedToo)"
            : "Ready: nothing\(besides) has been captured yet.\(pausedToo)"
    }

    private var waitingText: WaitingText {
        WaitingText(
            backends: backends, files: waitingFiles, filesBackend: spoolBackend, namesPeople: namesPeople, moment: moment,
            hasRestGoneUp: spool.refused + claimable + stuckWaiting == 0 && spoolFailure == nil)
    }

    /// The addition for a pause when no entries wait for it.
    private var pausedToo: String {
        guard let backend = backends.first(where: { $0.pause != nil }), let pause = backend.pause else { return "" }
        return " Sending\(backends.count == 1 ? "" : " to \(backend.name)") is paused \(PauseText(pause: pause, moment: moment).clause)."
    }

    private var needsSignIn: Bool { !backends.contains(where: \.session.isSignedIn) }

    private func total(_ count: KeyPath<BackendReport, Int>) -> Int { backends.map { $0[keyPath: count] }.reduce(0, +) }

    static func captures(_ count: Int) -> String { count == 1 ? "1 capture" : "\(count) captures" }
}
