import Capture
import ControlAPI
import Outbox
import Salvage
import SyncModel

/// The status sentence and the attention list. Pure.
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
    /// Bytes free on a disk that is nearly full; nil with enough room.
    var lowSpace: Int64?
    /// Why the changed configuration is not active; nil if it is.
    var rejectedConfiguration: String?
    /// The key file that was deleted while the daemon runs, and what to do; nil if it is in its place.
    var deletedKey: (path: String, steps: String)?
    /// Salvage reports whose folders still exist.
    var damages: [SalvageReport] = []
    /// By backend and state, the row that all dead or held entries share.
    var commonNames: [String: [Entry.State: SubjectReport]] = [:]
    var kinds: EntryKinds = [:]
    /// `Overview.heldBack` by backend.
    var heldBack: [String: [String: (by: String, count: Int)]] = [:]
    var moment: Moment

    var namesPeople = true

    /// A copy without email addresses.
    var withoutNames: StatusSummary {
        var summary = self
        (summary.namesPeople, summary.commonNames) = (false, [:])
        return summary
    }

    /// The summary of one backend and the station.
    func only(_ backend: BackendReport) -> StatusSummary {
        let isItsSpool = isSpool(of: backend)
        return StatusSummary(
            backends: [backend], spool: isItsSpool ? spool : SpoolReport(directory: spool.directory, waiting: 0, refused: 0),
            spoolBackend: spoolBackend, stuckWaiting: isItsSpool ? stuckWaiting : 0, spoolFailure: isItsSpool ? spoolFailure : nil,
            unclaimed: unclaimed, room: room, lowSpace: lowSpace, rejectedConfiguration: rejectedConfiguration, kinds: kinds,
            moment: moment, namesPeople: namesPeople)
    }

    /// Most serious first.
    var attention: [Attention] { Notices(summary: self).all }

    var sentence: String {
        let attention = attention
        let situation = situation(attention)
        func texts(_ code: Attention.Code) -> [String] { self.texts(of: code, in: attention) }
        // The owner of a refused file may believe that it was sent.
        let refused = texts(.refusedFiles)
        var sentences = texts(.storeDamaged) + texts(.keyDeleted)
        sentences += attention.first?.knownCode == .refusedFiles ? refused + [situation] : [situation] + refused
        sentences += (stuckFiles.map { ["\($0)."] } ?? []).filter { !situation.hasPrefix($0.dropLast()) }
        sentences += texts(.dropFolderFailing).filter { $0 != situation }
        if let files = Count(some: claimable, "dropped file") {
            sentences.append("\(files) \(files.pick("has", "have")) not been claimed.")
        }
        sentences += texts(.outboxFull) + texts(.diskLow)
        if rejectedConfiguration != nil { sentences.append("The changed configuration was rejected; the previous one is active.") }
        return sentences.joined(separator: " ")
    }

    /// Without a full stop; nil for none.
    private var stuckFiles: String? {
        Count(some: spool.stuck, "file").map {
            "\($0) in the drop folder cannot be accepted and \($0.pick("needs", "need")) your attention"
        }
    }

    /// Files that the signed-in account can claim; zero if signed out.
    var claimable: Int { spoolReport?.session.isSignedIn == true ? spool.unclaimed : 0 }

    /// Files that wait to be taken, or for a sign-in.
    var waitingFiles: Int { spool.waitingFiles(isFailing: spoolFailure != nil, isClaimable: claimable > 0) }

    func isSpool(of backend: BackendReport) -> Bool { spoolBackend == nil || spoolBackend == backend.name }

    var spoolReport: BackendReport? { backends.first(where: isSpool) }

    private func texts(of code: Attention.Code, in attention: [Attention]) -> [String] {
        attention.filter { $0.knownCode == code }.map(\.text)
    }

    private func situation(_ attention: [Attention]) -> String {
        let waiting = WaitingText(
            backends: backends, files: waitingFiles, filesBackend: spoolBackend, kinds: kinds, namesPeople: namesPeople, moment: moment,
            restIsDelivered: spool.refused + claimable + stuckWaiting == 0 && spoolFailure == nil
        ).sentences
        let captures = count(\.waiting, in: EntryKinds.waiting)
        let blocked = total(\.queue.blocked)
        if case .gone = room {
            let kept = captures.map { " \($0) \($0.are) still in the daemon: do not stop or restart it." } ?? ""
            return texts(of: .storeGone, in: attention).joined(separator: " ") + kept
        }
        if let first = attention.first(where: { [.diskFull, .noProfile].contains($0.knownCode) }) {
            let safe = captures.map { ["\($0) \($0.are) safe here, and \($0.wait) for room."] } ?? []
            let rest = first.knownCode == .noProfile ? [] : room == .nothingLeft ? safe : waiting
            return ([first.text] + rest).joined(separator: " ")
        }
        if let failed = Count(some: total(\.queue.dead) + total(\.queue.held), among: kinds.at(backends, in: [.dead, .held])) {
            let kinds = kinds.at(backends, in: EntryKinds.waiting, files: waitingFiles)
            let all = Count(some: total(\.queue.waiting) + waitingFiles, among: kinds)
            let place = blocked == all?.number ? " behind \(failed.them)" : ", \(blocked) of them behind \(failed.pick("it", "these"))"
            let rest = all.map { " \($0) \($0.are) waiting\(blocked == 0 ? "" : place)." } ?? ""
            return
                "\(failed) \(failed.pick("has failed or is on hold, and needs", "have failed or are on hold, and need")) your decision.\(rest)"
        }
        if let unseen = count(\.unseen, in: EntryKinds.waiting) {
            let first = "\(unseen) may already be delivered, but looking \(unseen.them) up keeps failing."
            let behind = count(\.blocked, in: EntryKinds.waiting).map { ["\($0) \($0.are) waiting behind \(unseen.them)."] } ?? []
            return ([first] + behind + waiting).joined(separator: " ")
        }
        if !waiting.isEmpty { return waiting.joined(separator: " ") }
        if let failing = attention.first(where: { $0.knownCode == .dropFolderFailing }) { return failing.text }
        let hasMore = spool.refused + claimable > 0
        if let stuckFiles { return stuckFiles + (hasMore ? "." : "; everything else has been delivered.") }
        return finished(besides: hasMore ? " else" : "") + pausedToo
    }

    private func finished(besides: String) -> String {
        let discarded = count(\.discarded, in: [.discarded])
        // They count as on hold in the store, and as discarded in `kinds`.
        let discarding = count(\.discarding, in: [.discarded]).map { " \($0) \($0.are) being discarded." } ?? ""
        if let delivered = count(\.delivered, in: [.delivered]) {
            let also = discarded.map { ", \($0.number) more discarded" } ?? ""
            return "Everything\(besides) has been delivered: \(delivered)\(also). Nothing\(besides) is waiting.\(discarding)"
        }
        if let discarded { return "Nothing\(besides) is waiting: \(discarded) \(discarded.were) discarded.\(discarding)" }
        if !discarding.isEmpty { return "Nothing\(besides) is waiting.\(discarding)" }
        return backends.contains(where: \.session.isSignedIn)
            ? "Ready: nothing\(besides) has been captured yet." : "Not signed in. Nothing\(besides) is waiting."
    }

    /// The addition for a pause when no entries wait for it.
    private var pausedToo: String {
        guard let backend = backends.first(where: { $0.pause != nil }), let pause = backend.pause else { return "" }
        return " Sending\(backends.count == 1 ? "" : " to \(backend.name)") is paused \(PauseText(pause: pause, moment: moment).clause)."
    }

    /// Nil for none.
    private func count(_ number: KeyPath<QueueReport, Int>, in states: [Entry.State]) -> Count? {
        Count(some: total((\BackendReport.queue).appending(path: number)), among: kinds.at(backends, in: states))
    }

    private func total(_ count: KeyPath<BackendReport, Int>) -> Int { backends.map { $0[keyPath: count] }.reduce(0, +) }
}
