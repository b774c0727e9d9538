import Backends
import ControlAPI
import Delivery
import Foundation
import Sessions
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// What `homing why` makes of the answers that the contracts document.
@Suite struct MeaningTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)
    private static let id = Samples.id(1).description
    private static let anna = SubjectReport(resource: "managed_users", field: "user_id", id: "28", label: "Anna Example")

    private static func backend(_ name: String) throws -> Backend {
        let folder = URL(fileURLWithPath: ConfigurationTests.shipped).deletingLastPathComponent().path + "/backends"
        let all = try ProfileLibrary.load(directory: folder, deviceID: "d", version: "1")
        return try #require(all.first { $0.name == name })
    }

    private static func entry(
        _ status: Int?, _ answer: String?, route: String = "measurement", state: Entry.State = .dead,
        _ change: (inout Entry) -> Void = { _ in }
    ) -> Entry {
        var mutation = Samples.mutation(1, at: now)
        mutation.route = route
        var entry = Entry(sequence: 1, mutation: mutation, state: state)
        (entry.lastStatus, entry.lastError) = (status, answer)
        change(&entry)
        return entry
    }

    private static func explain(
        _ entry: Entry, _ subject: SubjectReport? = nil, fields: [String: String] = ["user_id": "28"], at name: String = "breathesafe",
        gate: Gate = .open, newer: MutationID? = nil
    ) throws -> (sentence: String, next: Reasons.NextStep) {
        var reasons = Reasons.sample(at: now)
        (reasons.fields, reasons.subjectReport, reasons.newer) = (fields, subject, newer)
        (reasons.obstacles.gate, reasons.route.noun) = (gate, "measurement")
        let account = Account(id: entry.destination.account, label: "ann@lab.test")
        reasons.obstacles.session = SessionSnapshot(backend: name, state: .signedIn, account: account)
        let backend = try Self.backend(name)
        reasons.route.changes = backend.changes(route: entry.route) != nil
        reasons.route.laneFields = backend.laneFields(route: entry.route)
        reasons.list.title = backend.subjectField(route: entry.route)?.resource.title ?? reasons.list.title
        reasons.meaning = Reasons.Meaning(of: entry, at: backend, for: reasons)
        return reasons.explain(entry)
    }

    @Test(arguments: [
        ("measurement", 404, "breathesafe answered: Not Found.", "BreatheSafe has no user 28."),
        ("fit_test", 404, "breathesafe answered: Not Found.", "BreatheSafe has no user 28."),
        ("manual_measurement", 404, "breathesafe answered: Not Found.", "BreatheSafe has no user 28."),
        (
            "manual_measurement", 422, "breathesafe answered: Not managed by current user.",
            "28 is not, or no longer, one of the people that ann@lab.test manages."
        ),
        (
            "measurement", 422, "breathesafe answered: Not managed by current user.",
            "28 is not, or no longer, one of the people that ann@lab.test manages."
        ),
        (
            "fit_test", 422, "breathesafe answered: Unauthorized.",
            "28 is not, or no longer, one of the people that ann@lab.test manages."
        ),
    ])
    func translatesRefusalAndOffersCorrection(route: String, status: Int, answer: String, words: String) throws {
        let (sentence, next) = try Self.explain(Self.entry(status, answer, route: route))
        #expect(sentence.hasSuffix(" \(words) \(answer)"), "\(sentence)")
        #expect(next.text.contains("\nTo send it for another person, run: homing fix \(Self.id) --user USER\n"), "\(next.text)")
        #expect(next.needsPerson)
    }

    @Test(arguments: [
        (404, "breathesafe answered that the requested resource does not exist (404).", "BreatheSafe has no user 28."),
        (422, "breathesafe answered with an error (422).", "28 is not, or no longer, one of the people that ann@lab.test manages."),
    ])
    func refusedChangeCanBeMadeForAnotherPerson(status: Int, answer: String, words: String) throws {
        let entry = Self.entry(status, answer, route: "profile")
        let nameless = SubjectReport(resource: "managed_users", field: "user_id", id: "28")
        let (sentence, next) = try Self.explain(entry, nameless)
        #expect(sentence.hasSuffix(" \(words) \(answer)"), "\(sentence)")
        let fix = "\nTo make this change for another person, run: homing fix \(Self.id) --user USER\n"
        #expect(next.needsPerson && next.text.contains(fix), "\(next.text)")
        var reasons = Reasons.sample(at: Self.now)
        (reasons.fields, reasons.subjectReport, reasons.route.changes) = (["user_id": "28"], nameless, true)
        reasons.meaning = Reasons.Meaning(of: entry, at: try Self.backend("breathesafe"), for: reasons)
        let gate = RouteGate(
            since: Self.now, until: Self.now.addingTimeInterval(600), failure: Failure(.refused, status: status, answer), entry: 1)
        let refusal = try #require(reasons.refusal(of: entry, behind: gate))
        let command = "homing fix \(EntryName.short(Self.id)) --user USER"
        #expect(refusal.sentence.hasSuffix(" Homing tries again at 05:56; ‘\(command)’ corrects it."), "\(refusal.sentence)")
        // The page offers the same, but not if the values were refused.
        reasons.obstacles.session = SessionSnapshot(
            backend: "breathesafe", state: .signedIn, account: Account(id: entry.destination.account, label: "ann@lab.test"))
        #expect(reasons.changes(of: entry) == [.retry, .fix, .discard])
        reasons.meaning = Reasons.Meaning(words: "BreatheSafe does not accept these values.", fix: .payload, rowTitle: nil)
        #expect(reasons.changes(of: entry) == [.retry, .discard])
    }

    @Test func namesPersonWhereTheListHasTheName() throws {
        let (sentence, _) = try Self.explain(Self.entry(422, "breathesafe answered: Not managed by current user."), Self.anna)
        #expect(
            sentence
                == "breathesafe refused this measurement of Anna Example (28) for ann@lab.test (422). Anna Example (28) is not, or no longer, one of the people that ann@lab.test manages. breathesafe answered: Not managed by current user."
        )
    }

    @Test func offersToReplaceTheDocumentOfAnInvalidMeasurement() throws {
        let answer = #"breathesafe answered: Arkit must have an "average_measurements" key."#
        let (sentence, next) = try Self.explain(Self.entry(422, answer), Self.anna)
        #expect(sentence.contains("BreatheSafe does not accept the values of this measurement. breathesafe answered: Arkit must"))
        let command = "homing submit FILE --route measurement --user 28 --supersedes \(Self.id)"
        #expect(next.text.contains("\nTo send a corrected document instead, run: \(command)\n"), "\(next.text)")
    }

    /// A correction would be sent after the newer change, and overwrite it.
    @Test(arguments: [
        ("profile", 422, "breathesafe answered: Did not update."), ("edit_fit_test", 400, "breathesafe answered: Bad Request."),
    ])
    func offersNoCorrectionOfAnOlderChange(route: String, status: Int, answer: String) throws {
        let entry = Self.entry(status, answer, route: route)
        let (_, offered) = try Self.explain(entry, Self.anna)
        #expect(offered.text.contains(" --supersedes \(Self.id)\n"), "\(offered.text)")
        let (_, next) = try Self.explain(entry, Self.anna, newer: Samples.id(2))
        let instead = """

            Entry \(Samples.id(2)) is newer, and a correction of this one would overwrite it. To see it, run: homing show \(Samples.id(2))
            To let the newer one win, run: homing discard \(Self.id)
            If the older values still count, first submit them as a new change.
            """
        #expect(next.needsPerson && next.text.hasSuffix(instead) && !next.text.contains("--supersedes"), "\(next.text)")
    }

    /// For another person, it goes to a lane where the newer change is not.
    @Test func offersAnOlderChangeForAnotherPerson() throws {
        let answer = "breathesafe answered that the requested resource does not exist (404)."
        let (_, next) = try Self.explain(Self.entry(404, answer, route: "profile"), Self.anna, newer: Samples.id(2))
        let fix = "\nTo make this change for another person, run: homing fix \(Self.id) --user USER\n"
        #expect(next.text.contains(fix) && !next.text.contains(" is newer"), "\(next.text)")
    }

    /// The entry has no field for the row that it makes.
    @Test func correctedCreateIsSubmittedWithoutItsRow() throws {
        let entry = Self.entry(400, "breathesafe answered: Bad Request.", route: "profile") { $0.mutation.creates = "managed_users" }
        let row = SubjectReport(resource: "managed_users", field: "user_id", id: "@\(Self.id)", label: "Anna Example", isNew: true)
        let (_, next) = try Self.explain(entry, row, fields: [:])
        let command = "homing submit FILE --route profile --supersedes \(Self.id)"
        #expect(next.text.contains("\nTo send a corrected document instead, run: \(command)\n"), "\(next.text)")
    }

    @Test func ownWordsAreNotMistakenForTheServers() throws {
        // A page without the server's words, and other words.
        for answer in ["breathesafe answered with an error (422).", "breathesafe answered: Unprocessable Content.", nil] {
            let (sentence, next) = try Self.explain(Self.entry(422, answer))
            #expect(!sentence.contains("manages") && !sentence.contains("accept"), "\(sentence)")
            #expect(!next.text.contains("homing fix") && !next.text.contains("--supersedes"))
        }
        #expect(
            try Self.explain(Self.entry(401, "breathesafe answered: Unauthorized.", route: "fit_test")).sentence.contains("manages")
                == false)
    }

    /// Its words were destroyed with the payload. A reason that depends on them may not be the right one.
    @Test(arguments: [(404, " BreatheSafe has no user 28."), (422, "")]) func discardedEntryKeepsTheProfilesWords(
        status: Int, words: String
    ) throws {
        let (sentence, next) = try Self.explain(Self.entry(status, nil, route: "profile", state: .discarded))
        let end = " Its payload was deleted. Before that, breathesafe answered with status \(status).\(words)"
        #expect(sentence.hasSuffix(end), "\(sentence)")
        #expect(!next.needsPerson)
    }

    /// The server's answer is not declared as final, so Homing tries again; a person who knows better need not wait for it.
    @Test func translatesWhileTheBackendCools() throws {
        let waiting = Self.entry(404, "breathesafe answered: Not Found.", state: .pending)
        let until = Self.now.addingTimeInterval(600)
        let (sentence, next) = try Self.explain(
            waiting, gate: .cooling(until: until, Failure(.serverError, "breathesafe answered: Not Found.")))
        #expect(
            sentence
                == "breathesafe refused this measurement (user id 28) (404). BreatheSafe has no user 28. breathesafe answered: Not Found. Homing tries again at 05:56, in case breathesafe itself is the cause."
        )
        let correction = "To send it for another person, run: homing fix \(Self.id) --user USER"
        #expect(next.needsPerson && next.text == "To try now, run: homing sync\n\(correction)", "\(next.text)")
    }

    /// Several refused entries, so that the gate names none: the correction of each is still for a person.
    @Test(arguments: [nil, 1, 2] as [Int64?]) func refusalWithACorrectionNeedsAPersonHoweverManyFail(alone: Int64?) throws {
        let waiting = Self.entry(404, "breathesafe answered: Not Found.", state: .pending)
        var reasons = Reasons.sample(at: Self.now)
        reasons.fields = ["user_id": "28"]
        let account = Account(id: waiting.destination.account, label: "ann@lab.test")
        reasons.obstacles.session = SessionSnapshot(backend: "breathesafe", state: .signedIn, account: account)
        let failure = Failure(.refused, status: 404, "breathesafe answered: Not Found.")
        let gate = RouteGate(since: Self.now, until: Self.now.addingTimeInterval(600), failure: failure, entry: alone)
        reasons.obstacles.routeGate = gate
        reasons.meaning = Reasons.Meaning(of: waiting, at: try Self.backend("breathesafe"), for: reasons)
        if alone == 1 { reasons.obstacles.refusal = reasons.refusal(of: waiting, behind: gate) }
        let next = reasons.explain(waiting).next
        #expect(next.needsPerson && !next.text.contains("Nothing to do."), "\(next.text)")
        #expect(next.text.contains("homing fix \(Self.id) --user USER"), "\(next.text)")
        // Without a correction in the profile, Homing goes on by itself while others fail too.
        reasons.meaning = Reasons.Meaning(words: "The server is being repaired.", fix: nil, rowTitle: nil)
        reasons.obstacles.refusal = nil
        let other = reasons.explain(waiting).next
        #expect(!other.needsPerson && other.text == "Nothing to do. To try now, run: homing sync", "\(other.text)")
    }

    @Test func refusalOfTheOnlyFailingEntryNamesTheCorrection() throws {
        let waiting = Self.entry(404, "breathesafe answered: Not Found.", state: .pending)
        var reasons = Reasons.sample(at: Self.now)
        reasons.fields = ["user_id": "28"]
        reasons.meaning = Reasons.Meaning(of: waiting, at: try Self.backend("breathesafe"), for: reasons)
        let until = Self.now.addingTimeInterval(600)
        func gate(_ status: Int) -> RouteGate {
            RouteGate(
                since: Self.now, until: until, failure: Failure(.refused, status: status, "breathesafe answered: Not Found."), entry: 1)
        }
        let refusal = try #require(reasons.refusal(of: waiting, behind: gate(404)))
        let id = EntryName.short(Self.id)
        #expect(refusal.id == waiting.id)
        #expect(
            refusal.sentence
                == "BreatheSafe has no user 28. Homing tries again at 05:56; ‘homing fix \(id) --user USER’ corrects it.")
        var paused = reasons
        paused.obstacles.pause = PauseReport(backend: "breathesafe", reason: "", since: Self.now, until: nil, by: "bob")
        let later = "BreatheSafe has no user 28. Homing tries again once sending resumes; ‘homing fix \(id) --user USER’ corrects it."
        #expect(paused.refusal(of: waiting, behind: gate(404))?.sentence == later)
        // The gate tells of another answer, or the profile has no words for this one.
        #expect(reasons.refusal(of: waiting, behind: gate(410)) == nil)
        // Only a person can correct it.
        reasons.obstacles.session = SessionSnapshot(
            backend: "breathesafe", state: .signedIn, account: Account(id: waiting.destination.account, label: "ann@lab.test"))
        (reasons.obstacles.routeGate, reasons.obstacles.refusal) = (gate(404), refusal)
        let next = reasons.explain(waiting).next
        let ways = "To try now, run: homing sync\nTo send it for another person, run: homing fix \(Self.id) --user USER"
        #expect(next.needsPerson && next.text == "\(ways)\nTo discard it, run: homing discard \(Self.id)", "\(next.text)")
        reasons.later = 1
        let letting = "To let the later ones go without it, run: homing discard \(Self.id)"
        #expect(reasons.explain(waiting).next.text == "\(ways)\n\(letting)")
        reasons.meaning = nil
        #expect(reasons.refusal(of: waiting, behind: gate(404)) == nil)
    }

    @Test func translatesWhileHomingTriesAgain() throws {
        let waiting = Self.entry(404, "breathesafe answered: Not Found.", state: .pending) {
            $0.attempts = 1
            $0.dueAt = Self.now.addingTimeInterval(600)
        }
        let (sentence, next) = try Self.explain(waiting)
        #expect(
            sentence
                == "Attempt 1 of 3 failed. Homing tries again at 05:56. BreatheSafe has no user 28. Last error: breathesafe answered: Not Found."
        )
        #expect(next.text.hasPrefix("To try now, run: homing sync\n") && next.text.hasSuffix("run: homing fix \(Self.id) --user USER"))
        #expect(next.needsPerson)
    }

    @Test func offersNoCorrectionOfAnEntryThatMayHaveTakenEffect() throws {
        let uncertain = Self.entry(404, "breathesafe answered: Not Found.") { $0.uncertain = true }
        let (sentence, next) = try Self.explain(uncertain)
        #expect(sentence.contains("BreatheSafe has no user 28."))
        #expect(!next.text.contains("homing fix"))
    }

    @Test func saysNothingWithoutTheFieldThatTheWordsNeed() throws {
        let (sentence, next) = try Self.explain(Self.entry(404, "breathesafe answered: Not Found."), fields: [:])
        #expect(!sentence.contains("has no user") && !next.text.contains("homing fix"))
    }

    @Test func otherFieldsAreCorrectedWithItem() throws {
        let (sentence, next) = try Self.explain(
            Self.entry(422, "lists-2026 answered: Name is too long.", route: "create_list"), fields: [:], at: "lists-2026")
        #expect(sentence.hasSuffix("The server does not accept this name or description. lists-2026 answered: Name is too long."))
        #expect(next.text.contains("\nTo send it with another name, run: homing fix \(Self.id) --item name=VALUE\n"))
    }

    /// The refusal answers the second send; another form could be delivered beside the first.
    @Test func refusalAfterALostAnswerOffersNoCorrection() throws {
        let (sentence, next) = try Self.explain(Self.entry(404, "breathesafe answered: Not Found.") { $0.doubts = 1 })
        #expect(sentence.hasSuffix(" It may have taken effect anyway."), "\(sentence)")
        #expect(!next.text.contains("homing fix"), "\(next.text)")
    }
}
