import ControlAPI
import SyncModel

/// What waits, and for what: pure, from the figures alone.
struct WaitingText {
    let backends: [BackendReport]
    /// Files in the drop folder that are still to be taken in.
    let files: Int
    /// The backend that they go to; nil for the only one.
    let filesBackend: String?
    /// Whether people may be named.
    let namesPeople: Bool
    let moment: Moment

    /// A sentence for each thing that something waits for; empty where nothing waits.
    var sentences: [String] {
        let isAnybodySignedIn = backends.contains { $0.session.state == "signedIn" }
        if let sentence = paused { return [sentence] + (isAnybodySignedIn ? elsewhere : ["Nobody is signed in."]) }
        let all = backends.map(\.queue.waiting).reduce(0, +) + files
        guard isAnybodySignedIn || all == 0 else { return ["\(Self.areSafe(all)) and cannot go up until somebody signs in."] }
        return elsewhere
    }

    /// Those that a pause holds up.
    private var stopped: [BackendReport] { backends.filter { $0.pause != nil && $0.queue.pending > 0 } }
    private var going: [BackendReport] { backends.filter { $0.pause == nil || $0.queue.pending == 0 } }

    private var paused: String? {
        guard let first = stopped.first, let pause = first.pause else { return nil }
        let place = backends.count == 1 ? "" : " to \(first.name)"
        return
            "\(Self.areSafe(stopped.map(\.queue.waiting).reduce(0, +))); sending\(place) is paused \(PauseText(pause: pause, moment: moment).clause)."
    }

    /// Where nothing is paused: gate by gate, then what is on its way, then what waits for other people.
    private var elsewhere: [String] {
        var (sentences, open) = ([String](), 0)
        for report in going where own(report) > 0 {
            let count = own(report)
            if report.session.state != "signedIn" {
                let place = backends.count == 1 ? "" : " at \(report.name)"
                sentences.append("\(Self.areSafe(count)) and cannot go up until \(missing(report)) signs in\(place).")
            } else if report.gate == "cooling" {
                let text = CoolingText(
                    reason: report.gateCause.flatMap(Failure.Reason.init) ?? .offline,
                    message: (report.gateReason ?? report.name).asSentence)
                sentences.append("\(Self.areSafe(count, backends.count == 1 ? "" : " for \(report.name)")) and \(text.waits(count))")
            } else {
                open += count
            }
        }
        if open > 0 {
            let which = sentences.isEmpty && stopped.isEmpty ? StatusSummary.captures(open) : "\(open) more"
            sentences.append("\(which) \(open == 1 ? "is" : "are") on the way up.")
        }
        guard let others else { return sentences }
        return sentences + [sentences.isEmpty && stopped.isEmpty ? "\(others); everything else has gone up." : "\(others)."]
    }

    /// What waits at a backend for whoever is, or was, signed in there, and the files of the drop folder; all of it where that is nobody.
    private func own(_ report: BackendReport) -> Int {
        let theirs = report.session.account == nil ? 0 : report.otherAccounts.map(\.waiting).reduce(0, +)
        let dropped = filesBackend == nil || filesBackend == report.name ? files : 0
        return max(0, report.queue.waiting - theirs) + dropped
    }

    /// Who has to sign in.
    private func missing(_ report: BackendReport) -> String {
        guard namesPeople else { return "somebody" }
        if report.session.account != nil { return report.session.email ?? "somebody" }
        return report.otherAccounts.count == 1 && own(report) == report.queue.waiting ? report.otherAccounts[0].email : "somebody"
    }

    /// `2 captures wait for ann@lab.test and 3 for 2 others to sign in again`, without a full stop; nil where none do.
    private var others: String? {
        var people: [(name: String, count: Int)] = []
        for other in going.filter({ $0.session.account != nil }).flatMap(\.otherAccounts) {
            if let known = people.firstIndex(where: { $0.name == other.email }) {
                people[known].count += other.waiting
            } else {
                people.append((other.email, other.waiting))
            }
        }
        guard let first = people.first else { return nil }
        func rest(_ people: some Collection<(name: String, count: Int)>) -> Int { people.map(\.count).reduce(0, +) }
        func wait(_ count: Int) -> String { "\(StatusSummary.captures(count)) \(count == 1 ? "waits" : "wait")" }
        guard namesPeople else {
            return "\(wait(rest(people))) for \(people.count == 1 ? "another account" : "\(people.count) other accounts") to sign in again"
        }
        let also =
            switch people.count {
            case 1: ""
            case 2: " and \(people[1].count) for \(people[1].name)"
            default: " and \(rest(people.dropFirst())) for \(people.count - 1) others"
            }
        return "\(wait(first.count)) for \(first.name)\(also) to sign in again"
    }

    /// `2 captures are safe here`.
    private static func areSafe(_ count: Int, _ place: String = "") -> String {
        "\(StatusSummary.captures(count))\(place) \(count == 1 ? "is" : "are") safe here"
    }
}

extension String {
    /// With a full stop, where it does not end as a sentence does.
    var asSentence: String { last.map { ".!?…".contains($0) } == true ? self : self + "." }
}
