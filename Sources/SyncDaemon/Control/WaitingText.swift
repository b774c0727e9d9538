import ControlAPI
import Foundation
import SyncModel

/// Sentences about waiting entries and their reasons. Pure.
struct WaitingText {
    let backends: [BackendReport]
    /// Files in the drop folder not yet stored.
    let files: Int
    /// Their backend; nil for the only one.
    let filesBackend: String?
    let kinds: EntryKinds
    let namesPeople: Bool
    let moment: Moment
    /// True if all other entries were delivered.
    var restIsDelivered = true

    /// One sentence per reason; empty if nothing waits.
    var sentences: [String] {
        let isSignedOut = !backends.contains(where: \.session.isSignedIn)
        if !stopped.isEmpty {
            return paused + failingRoutes(stopped.filter { $0.session.isSignedIn && own($0) > 0 })
                + (isSignedOut ? ["Not signed in."] : elsewhere)
        }
        let all = backends.map(\.waitingForPeople).reduce(0, +) + files
        let accounts = Set(backends.filter { own($0) > 0 }.map(missing))
        return isSignedOut && all > 0 && accounts.count != 1
            ? ["\(areSafe(all, backends)) and cannot be sent until an account signs in."] : elsewhere
    }

    private var stopped: [BackendReport] { backends.filter { $0.pause != nil && $0.queue.pending > 0 } }
    private var going: [BackendReport] { backends.filter { $0.pause == nil || $0.queue.pending == 0 } }

    private var paused: [String] {
        alike(stopped) { report in report.pause.map { PauseText(pause: $0, moment: moment).clause } ?? "" }.map { clause, reports in
            let number = reports.map(\.queue.waiting).reduce(0, +) + filesWaiting(at: reports)
            let captures = Count(number, among: kindsWaiting(at: reports))
            return "\(captures) \(captures.are) safe here; sending\(place("to", reports)) is paused \(clause)."
        }
    }

    /// Grouped by `key`, in the order in which the keys appear.
    private func alike<Element, Key: Equatable>(_ elements: [Element], by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        elements.reduce(into: []) { groups, element in
            let key = key(element)
            let known = groups.firstIndex { $0.key == key }
            if let known { groups[known].elements.append(element) } else { groups.append((key, [element])) }
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
        let idle = alike(waiting.filter { !$0.session.isSignedIn }, by: missing).map { account, reports in
            "\(areSafe(count(reports), reports)) and cannot be sent until \(account) signs in\(place("at", reports))."
        }
        let cooling = alike(waiting.filter(isCooling), by: \.coolingCause).map { cause, reports in
            let text = CoolingText(
                reason: cause ?? .offline,
                message: alike(reports) { ($0.gateReason ?? $0.name).asSentence }.map(\.key).joined(separator: " "))
            return "\(areSafe(count(reports), reports, place("for", reports))) and \(text.waits(count(reports)))"
        }
        let open = waiting.filter { $0.session.isSignedIn && !isCooling($0) }
        let later = alike(open.filter(isLater), by: \.nextTry).map { next, reports in
            let time = next.map { " at \(moment.text($0))" } ?? ""
            return "\(areSafe(count(reports), reports, place("for", reports))); Homing tries again\(time)."
        }
        var sentences = idle + cooling + later
        let sending = open.filter { !isLater($0) }
        if let open = Count(some: count(sending), among: kindsWaiting(at: sending)) {
            let which = sentences.isEmpty && stopped.isEmpty ? "\(open)" : "\(open.number) more"
            sentences.append("\(which) \(open.pick("is on its", "are on their")) way.")
        }
        sentences += failingRoutes(open)
        let rest = [others, moved].compactMap(\.self)
        guard let last = rest.last else { return sentences }
        let end = sentences.isEmpty && stopped.isEmpty && restIsDelivered ? "; everything else has been delivered." : "."
        return sentences + rest.dropLast().map { $0 + "." } + [last + end]
    }

    /// During a pause, only those that need a person.
    private func failingRoutes(_ reports: [BackendReport]) -> [String] {
        reports.flatMap { report in
            (report.coolingRoutes ?? []).filter { report.pause == nil || $0.entry != nil }.map { route in
                let does = route.entry == nil ? "does not accept any \(route.kind.many) at the moment" : "refused one \(route.kind.one)"
                return "\(report.name) \(does): \(route.reason.asSentence)"
            }
        }
    }

    /// Each entry waits for a time of its own.
    private func isLater(_ report: BackendReport) -> Bool {
        report.queue.inflight == 0 && (report.nextTry.map { $0.timeIntervalSince(moment.now) > 60 } ?? false)
    }

    private func isCooling(_ report: BackendReport) -> Bool { report.session.isSignedIn && report.knownGate == .cooling }

    /// Entries of the current or previous account, plus dropped files; all entries without an account.
    private func own(_ report: BackendReport) -> Int {
        let waiting =
            report.session.account == nil
            ? report.waitingForPeople
            : report.queue.waiting - report.waitingForOthers - report.queue.unseen - report.queue.blocked
        return max(0, waiting) + filesWaiting(at: [report])
    }

    private func missing(_ report: BackendReport) -> String {
        guard namesPeople, report.session.account != nil || own(report) == report.waitingForPeople else { return "an account" }
        return report.awaited ?? "an account"
    }

    /// `1 capture waits for an address that breathesafe no longer has`, without a full stop.
    private var moved: String? {
        let moved = going.filter { $0.waitingForFormerAddress != nil }
        let count = moved.compactMap(\.waitingForFormerAddress).reduce(0, +)
        return Count(some: count, among: kinds.at(moved, in: EntryKinds.waiting)).map {
            "\($0) \($0.wait) for an address that \(moved.map(\.name).inWords) no longer \(moved.count == 1 ? "has" : "have")"
        }
    }

    /// `2 captures wait for ann@lab.test and 3 for 2 others to sign in again`, without a full stop.
    private var others: String? {
        let backends = going.filter { $0.session.account != nil && !$0.otherAccounts.isEmpty }
        let kinds = kinds.at(backends, in: EntryKinds.waiting)
        let accounts = alike(backends.flatMap(\.otherAccounts), by: \.email).map {
            ($0.key, Count($0.elements.map(\.waiting).reduce(0, +), among: kinds))
        }
        guard let (first, captures) = accounts.first else { return nil }
        let all = Count(accounts.map(\.1.number).reduce(0, +), among: kinds)
        let rest = all.number - captures.number
        let end = "to sign in again\(place("at", backends))"
        guard namesPeople else {
            return "\(all) \(all.wait) for \(accounts.count == 1 ? "another account" : "\(accounts.count) other accounts") \(end)"
        }
        let also =
            switch accounts.count {
            case 1: ""
            case 2: " and \(rest) for \(accounts[1].0)"
            default: " and \(rest) for \(accounts.count - 1) others"
            }
        return "\(captures) \(captures.wait) for \(first)\(also) \(end)"
    }

    /// `2 captures are safe here`.
    private func areSafe(_ number: Int, _ reports: [BackendReport], _ place: String = "") -> String {
        let captures = Count(number, among: kindsWaiting(at: reports))
        return "\(captures)\(place) \(captures.are) safe here"
    }

    /// The kinds of their waiting entries and of the dropped files.
    private func kindsWaiting(at reports: [BackendReport]) -> [EntryKind] {
        kinds.at(reports, in: EntryKinds.waiting, files: filesWaiting(at: reports))
    }

    private func filesWaiting(at reports: [BackendReport]) -> Int {
        reports.contains { filesBackend == nil || filesBackend == $0.name } ? files : 0
    }
}

extension String {
    /// Adds a full stop unless the text ends with sentence punctuation.
    var asSentence: String { last.map { ".!?…".contains($0) } == true ? self : self + "." }
}
