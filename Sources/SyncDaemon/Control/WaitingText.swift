import ControlAPI
import SyncModel

/// Sentences about waiting entries and their reasons. Pure: uses only these values.
struct WaitingText {
    let backends: [BackendReport]
    /// Files in the drop folder not yet stored.
    let files: Int
    /// Their backend; nil for the only one.
    let filesBackend: String?
    let namesPeople: Bool
    let moment: Moment
    /// Whether all other entries were delivered.
    var hasRestGoneUp = true

    /// One sentence per reason; empty if nothing waits.
    var sentences: [String] {
        let isAnybodySignedIn = backends.contains(where: \.session.isSignedIn)
        if !paused.isEmpty { return paused + (isAnybodySignedIn ? elsewhere : ["Not signed in."]) }
        let all = backends.map(\.waitingForPeople).reduce(0, +) + files
        guard isAnybodySignedIn || all == 0 else {
            let people = Set(backends.filter { own($0) > 0 }.map(missing))
            return people.count == 1 ? elsewhere : ["\(Self.areSafe(all)) and cannot be sent until an account signs in."]
        }
        return elsewhere
    }

    private var stopped: [BackendReport] { backends.filter { $0.pause != nil && $0.queue.pending > 0 } }
    private var going: [BackendReport] { backends.filter { $0.pause == nil || $0.queue.pending == 0 } }

    private var paused: [String] {
        alike(stopped) { report in report.pause.map { PauseText(pause: $0, moment: moment).clause } ?? "" }.map { clause, reports in
            "\(Self.areSafe(reports.map(\.queue.waiting).reduce(0, +))); sending\(place("to", reports)) is paused \(clause)."
        }
    }

    private func alike<Key: Equatable>(_ reports: [BackendReport], by key: (BackendReport) -> Key) -> [(key: Key, reports: [BackendReport])]
    {
        reports.reduce(into: []) { groups, report in
            let key = key(report)
            if let known = groups.firstIndex(where: { $0.key == key }) {
                groups[known].reports.append(report)
            } else {
                groups.append((key, [report]))
            }
        }
    }

    /// ` at a and b`; empty for a single backend.
    private func place(_ word: String, _ reports: [BackendReport]) -> String {
        backends.count == 1 ? "" : " \(word) \(reports.map(\.name).inWords)"
    }

    /// Without a pause: by gate, then entries on their way, then entries of other accounts.
    private var elsewhere: [String] {
        let waiting = going.filter { own($0) > 0 }
        func count(_ reports: [BackendReport]) -> Int { reports.map(own).reduce(0, +) }
        let idle = alike(waiting.filter { !$0.session.isSignedIn }, by: missing).map { person, reports in
            "\(Self.areSafe(count(reports))) and cannot be sent until \(person) signs in\(place("at", reports))."
        }
        let cooling = alike(waiting.filter(isCooling), by: \.coolingCause).map { cause, reports in
            let text = CoolingText(
                reason: cause ?? .offline,
                message: alike(reports) { ($0.gateReason ?? $0.name).asSentence }.map(\.key).joined(separator: " "))
            return "\(Self.areSafe(count(reports), place("for", reports))) and \(text.waits(count(reports)))"
        }
        var sentences = idle + cooling
        let open = count(waiting.filter { $0.session.isSignedIn && !isCooling($0) })
        if open > 0 {
            let which = sentences.isEmpty && stopped.isEmpty ? StatusSummary.captures(open) : "\(open) more"
            sentences.append("\(which) \(open == 1 ? "is on its" : "are on their") way.")
        }
        sentences += waiting.filter { $0.session.isSignedIn && !isCooling($0) }.flatMap { report in
            (report.coolingRoutes ?? []).map { "\(report.name) does not accept any \($0.route) at the moment: \($0.reason.asSentence)" }
        }
        let rest = [others, elsewhereMeant].compactMap(\.self)
        guard let last = rest.last else { return sentences }
        let end = sentences.isEmpty && stopped.isEmpty && hasRestGoneUp ? "; everything else has been delivered." : "."
        return sentences + rest.dropLast().map { $0 + "." } + [last + end]
    }

    private func isCooling(_ report: BackendReport) -> Bool { report.session.isSignedIn && report.knownGate == .cooling }

    /// A backend's waiting entries for the current or previous account, plus dropped files; all entries if there is no account.
    private func own(_ report: BackendReport) -> Int {
        let waiting =
            report.session.account == nil
            ? report.waitingForPeople
            : report.queue.waiting - report.waitingForOthers - report.queue.unseen - report.queue.blocked
        let dropped = filesBackend == nil || filesBackend == report.name ? files : 0
        return max(0, waiting) + dropped
    }

    private func missing(_ report: BackendReport) -> String {
        guard namesPeople, report.session.account != nil || own(report) == report.waitingForPeople else { return "an account" }
        return report.awaited ?? "an account"
    }

    /// `1 capture waits for an address that breathesafe no longer has`, without a full stop; nil if none do.
    private var elsewhereMeant: String? {
        let moved = going.filter { $0.waitingForFormerAddress != nil }
        let count = moved.compactMap(\.waitingForFormerAddress).reduce(0, +)
        guard count > 0 else { return nil }
        return
            "\(StatusSummary.captures(count)) \(count == 1 ? "waits" : "wait") for an address that \(moved.map(\.name).inWords) no longer \(moved.count == 1 ? "has" : "have")"
    }

    /// `2 captures wait for ann@lab.test and 3 for 2 others to sign in again`, without a full stop; nil if none do.
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
        let place = place("at", going.filter { $0.session.account != nil && !$0.otherAccounts.isEmpty })
        guard namesPeople else {
            return
                "\(wait(rest(people))) for \(people.count == 1 ? "another account" : "\(people.count) other accounts") to sign in again\(place)"
        }
        let also =
            switch people.count {
            case 1: ""
            case 2: " and \(people[1].count) for \(people[1].name)"
            default: " and \(rest(people.dropFirst())) for \(people.count - 1) others"
            }
        return "\(wait(first.count)) for \(first.name)\(also) to sign in again\(place)"
    }

    /// `2 captures are safe here`.
    private static func areSafe(_ count: Int, _ place: String = "") -> String {
        "\(StatusSummary.captures(count))\(place) \(count == 1 ? "is" : "are") safe here"
    }
}

extension String {
    /// Adds a full stop unless the text ends with sentence punctuation.
    var asSentence: String { last.map { ".!?…".contains($0) } == true ? self : self + "." }
}
