import ControlAPI
import Foundation

@testable import homing

/// Text that must not get into a bug report.
enum Canary {
    static let word = "canary@host.example"

    /// The value with the canary in place of every text.
    static func planted<Value: Codable>(in value: Value) throws -> Value {
        let json = String(decoding: JSONCoding.encoded(value), as: UTF8.self)
        // A text before a colon is a key.
        let planted = json.replacing(/"((?:[^"\\]|\\.)*)"(:?)/) { match in
            let isTime = JSONCoding.date(String(match.output.1)) != nil
            return match.output.2.isEmpty && !isTime ? "\"\(word)\"" : String(match.output.0)
        }
        return try JSONCoding.decoder.decode(Value.self, from: Data(planted.utf8))
    }

    /// The members without a value.
    static func unset(in value: Any, _ path: String = "") -> [String] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional || mirror.displayStyle == .collection, mirror.children.isEmpty { return [path] }
        return mirror.children.flatMap { unset(in: $0.value, "\(path).\($0.label ?? "")") }
    }

    /// A status in which every member has a value.
    static var status: Status {
        var status = Sample.status(backends: [backend], spool: spool)
        var item = Attention(.dead, "text", next: "next", backend: "breathesafe")
        item.facts = facts
        status.attention = [item]
        return status
    }

    private static var backend: BackendReport {
        let day = Sample.ago(minutes: 60)
        var session = Sample.session(reason: "reason")
        (session.failingSince, session.failure, session.signInBy) = (day, "failure", "password")
        var report = BackendReport(
            name: "breathesafe", baseURL: "https://host.example", gate: "cooling", gateReason: "reason", session: session,
            queue: QueueReport(pending: 3, dead: 2), oldestWaiting: Sample.ago(minutes: 130), oldestWaitingID: Sample.id(1),
            lastDelivered: day, nextTry: day,
            otherAccounts: [WaitingAccount(account: "7", email: "e", waiting: 1, signInCommand: "homing login")], formerAddress: "f",
            waitingForFormerAddress: 1, pause: PauseReport(backend: "b", reason: "r", since: day, until: day, by: "anna"),
            gateCause: "offline", signInCommand: "homing login", sentence: "sentence", discardedBySigningOut: 1)
        report.connectedAt = day
        var route = CoolingRoute(route: "r", since: day, until: day, reason: "reason")
        (route.title, route.entry) = (title, Sample.id(2))
        report.coolingRoutes = [route]
        var list = Sample.people
        list.title = title
        (list.staleSince, list.failure, list.failureCause, list.failingSince) = (day, "failure", "offline", day)
        report.rosters = [list]
        report.owedSignOuts = [OwedSignOutReport(account: "7", email: "e", until: day, sentence: "s")]
        return report
    }

    private static let title = RosterTitle(one: "o", many: "m", kind: .new, word: "w")

    private static var spool: SpoolReport {
        let file = SpoolReport.StuckFile(path: "/p/anna.json", reason: "r", next: "n", cause: "unreadable")
        var report = SpoolReport(
            directory: "/d", waiting: 1, refused: 1, stuck: 1, stuckExample: file, unclaimed: 1, refusedFiles: ["anna.json"])
        (report.refusedPlaces, report.firstUnclaimed) = (["anna.json": "users/5/anna.json"], "users/5/anna.json")
        return report
    }

    private static var facts: SentenceFacts {
        var facts = SentenceFacts()
        (facts.account, facts.person, facts.entry, facts.name, facts.address, facts.path) = ("a", "p", "e", "n", "a", "p")
        (facts.count, facts.limit, facts.later, facts.dependents, facts.least, facts.bytes) = (1, 1, 1, 1, true, 1)
        (facts.at, facts.since, facts.until) = (Sample.now, Sample.now, Sample.now)
        (facts.wait, facts.status, facts.reason, facts.words) = (1, 1, "r", "w")
        var subject = SubjectReport(resource: "r", field: "f", id: "i", label: "l", reference: "@r", isNew: true)
        subject.title = "t"
        (facts.title, facts.subject) = (title, subject)
        return facts
    }

    static var report: DoctorReport {
        var settings = SettingsReport()
        settings.backends = [ProfileReport()]
        return DoctorReport(
            findings: [Finding(.connection, .problem, "finding", remedy: "remedy", backend: "breathesafe")], settings: settings)
    }

    static var problem: Problem {
        var problem = Problem(.internalError, status: 500, title: "title", detail: "detail", next: "next", oldest: 1)
        (problem.newest, problem.supersededBy) = (2, Sample.id(3))
        return problem.stating { $0 = facts }
    }
}
