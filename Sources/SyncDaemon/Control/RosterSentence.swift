import ControlAPI
import Foundation
import Outbox
import SyncModel

/// The sentences about a stored list. Pure: uses only these values.
struct RosterSentence {
    let report: RosterReport
    /// Why the last read failed; nil if it did not.
    var failure: Failure?
    var isPaused = false
    /// Nil if none is scheduled.
    var nextTry: Date?
    /// Nil for the whole list.
    var selection: Selection?
    var counts = Counts()
    let commands: NextCommands
    let moment: Moment

    struct Selection {
        /// The text that the caller searched for.
        var text: String
        /// The number of rows found.
        var matching: Int
    }

    /// Rows that differ from the stored list. The other numbers exclude them.
    struct Counts {
        /// Matching rows that are not created yet.
        var new = 0
        /// Matching rows that were created after the list was read.
        var created = 0
        /// Rows that were deleted after the list was read.
        var deleted = 0
    }

    var text: String {
        switch report.knownState {
        case .signedOut, .unknown: "\(signedOut) To see your \(many), sign in with ‘\(commands.login)’."
        case .unread: [unread, waiting].compactMap(\.self).joined(separator: " ")
        case .complete, .incomplete: ([found] + [changed, waiting, missing, obstacle].compactMap(\.self)).joined(separator: " ")
        }
    }

    /// Why no rows are shown while signed out.
    var signedOut: String {
        report.email.map { "The session of \($0) at \(report.backend) has ended." } ?? "Signed out of \(report.backend)."
    }

    private var many: String { report.title.many }

    private var unread: String {
        if report.reading {
            return "Homing is reading your \(many) from \(report.backend) for the first time. Run the command again in a minute."
        }
        let notYet = "Your \(many) have not been read yet"
        if isPaused { return "\(notYet), because sending to \(report.backend) is paused. To end the pause, run ‘\(commands.resume)’." }
        guard let failure else { return "\(notYet). To read them now, run ‘\(commands.refresh(report))’." }
        if failure.reason == .offline {
            return "\(notYet), because \(report.backend) is unreachable. Homing reads them when it is reachable again."
        }
        let again = nextTry.map { $0 > moment.now ? " Homing tries again at \(moment.text($0))." : " Homing is trying again now." } ?? ""
        return "Your \(many) could not be read: \(failure.message.asSentence)\(again) To try now, run ‘\(commands.refresh(report))’."
    }

    /// The number of rows and the age of the list.
    private var found: String {
        let age = report.readAt.map(moment.distance) ?? "at an unknown time"
        let count = Self.count(report.count ?? 0, report.title)
        if let selection {
            // New and added rows are counted after this sentence.
            let other = counts.new + counts.created > 0 ? "other " : ""
            return selection.matching == 0
                ? "No \(other)\(report.title.one) matches ‘\(selection.text)’ among \(count), read \(age)."
                : "\(selection.matching) of \(count), read \(age)."
        }
        let owner = report.email ?? "This account"
        return report.count == 0
            ? "\(owner) has no \(many) at \(report.backend), as of \(age)."
            : "\(count)\(report.email.map { " of \($0)" } ?? "") at \(report.backend), read \(age)."
    }

    /// The changes by deliveries since the list was read.
    private var changed: String? {
        func part(_ count: Int, _ verb: String) -> String? {
            count == 0 ? nil : "\(Self.count(count, report.title)) \(count == 1 ? "was" : "were") \(verb)"
        }
        let parts = [part(counts.created, "added"), part(selection == nil ? counts.deleted : 0, "deleted")].compactMap(\.self)
        return parts.isEmpty ? nil : "After that, \(parts.joined(separator: " and "))."
    }

    /// The number of new rows; nil for none.
    private var waiting: String? {
        switch counts.new {
        case 0: nil
        case 1: "1 new \(report.title.one) \(selection == nil ? "" : "matches, and ")is not created yet."
        default: "\(counts.new) new \(many) \(selection == nil ? "" : "match, and ")are not created yet."
        }
    }

    private static func count(_ number: Int, _ title: RosterTitle) -> String { "\(number) \(number == 1 ? title.one : title.many)" }

    /// Why rows may be missing; nil for a complete list.
    private var missing: String? {
        let (count, total) = (report.count ?? 0, report.total ?? 0)
        switch report.reason.flatMap(Incompleteness.init) {
        case .limit: return "Homing keeps only the first \(count) of \(total) \(many)."
        case .changing:
            return
                "The list changed while Homing read it, so \(many) may be missing. To read it again, run ‘\(commands.refresh(report))’."
        case .contradiction:
            return
                "Homing read the list several times, and the answers of \(report.backend) contradict each other: the rows that it lists do not fit the number of \(many) that it states. So \(many) may be missing. Tell the administrator of \(report.backend)."
        case .rows:
            guard let rows = Count(some: total - count, "row") else { return "Rows without an id, or with a value twice, are left out." }
            return "\(rows) \(rows.pick("has", "have")) no id, or a value twice, and \(rows.are) left out."
        case nil: return nil
        }
    }

    /// Why the list is not read again.
    private var obstacle: String? {
        if isPaused && report.stale { return "Homing does not read the list again while sending to \(report.backend) is paused." }
        guard let failure, !report.reading else { return nil }
        let since = report.failingSince.map { " since \(moment.text($0))" }
        return failure.reason == .offline
            ? "\(report.backend) \(since.map { "has been unreachable\($0)" } ?? "is unreachable")."
            : "Reading the list again has failed\(since ?? ""): \(failure.message.asSentence)"
    }
}
