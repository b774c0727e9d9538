import Backends
import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

/// The steps of an attempt that reads its row before it sends.
struct RowReadingTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private static let row = RosterRow(id: "5", label: "Eve", folded: "eve", kept: [])
    private static let failure = Failure(.serverError, status: 500, "Internal Server Error")

    private func trip(absentIsDone: Bool = true, _ change: (inout Entry) -> Void = { _ in }) -> DeliveryAttempt {
        DeliveryAttempt(
            Samples.entry(Samples.mutation(1), change), route: RouteTraits(canLookUp: false, isAtMostOnce: false, isRepeatable: true),
            rules: DeliveryAttempt.Rules(attempts: 3, lookupAfter: 30, keyLifetime: nil),
            rows: DeliveryAttempt.Rows(many: "people", absentIsDone: absentIsDone), startedAt: now)
    }

    private func begin(_ trip: inout DeliveryAttempt) -> DeliveryAttempt.Step {
        trip.begin(as: Account(id: Samples.destination.account, label: ""), at: now)
    }

    private func page(_ ids: [RosterID], total: Int? = nil) -> ResourceAnswer {
        let rows = ids.map { RosterRow(id: $0, label: "", folded: "", kept: []) }
        return .page(ResourcePage(rows: rows, total: total ?? ids.count))
    }

    /// Reads one page with these rows.
    private func read(_ ids: [RosterID], _ trip: inout DeliveryAttempt, _ found: FreshRow) throws -> DeliveryAttempt.Step {
        guard case .findRow(let rows) = trip.readRow(page(ids), status: 200, at: now) else { throw Failure(.profile, "it read on") }
        #expect(rows.map(\.id) == ids)
        return trip.found(found, at: now)
    }

    private func end(_ step: DeliveryAttempt.Step) throws -> Attempt {
        guard case .end(let attempt) = step else { throw Failure(.profile, "\(step)") }
        return attempt
    }

    private let first = DeliveryAttempt.Step.readRow(page: 1, unless: nil)

    @Test func sendsOnlyToARowThatWasJustRead() throws {
        var trip = trip()
        let begun = begin(&trip)
        #expect(begun == first && trip.row == nil)
        let step = try read(["5", "7"], &trip, .one(Self.row))
        #expect(step == .send && trip.row == Self.row)
        let done = try end(trip.answered(.accepted(Samples.receipt), at: now))
        #expect(done.wasSent && done.verdict == .accepted(Samples.receipt))
    }

    @Test func readsAllPagesAndTheFirstOneAgain() throws {
        var trip = trip()
        _ = begin(&trip)
        #expect(trip.readRow(page(["1", "2"], total: 3), status: 200, at: now) == .readRow(page: 2, unless: nil))
        #expect(trip.readRow(page(["3"], total: 3), status: 200, at: now) == .readRow(page: 1, unless: nil))
        guard case .findRow(let rows) = trip.readRow(page(["1", "2"], total: 3), status: 200, at: now) else {
            throw Failure(.profile, "it read on")
        }
        #expect(rows.map(\.id) == ["1", "2", "3"])
    }

    @Test(arguments: [true, false]) func absentInTwoEqualReadsIsDone(isUncertain: Bool) throws {
        var trip = trip { entry in
            (entry.uncertain, entry.uncertainSince, entry.doubtedAt) = (isUncertain, isUncertain ? now : nil, isUncertain ? now : nil)
        }
        _ = begin(&trip)
        let second = try read(["7", "9"], &trip, .absent)
        #expect(second == first)
        let done = try end(read(["7", "9"], &trip, .absent))
        #expect(done.verdict == .accepted(Receipt(remoteID: nil, status: 200, foundByLookup: true, at: now)) && !done.wasSent)
    }

    @Test(arguments: [true, false]) func absentIsARefusalUnlessDeclared(isUncertain: Bool) throws {
        var trip = trip(absentIsDone: false) { ($0.uncertain, $0.uncertainSince) = (isUncertain, isUncertain ? now : nil) }
        _ = begin(&trip)
        _ = try read([], &trip, .absent)
        let done = try end(read([], &trip, .absent))
        guard case .permanent(let failure) = done.verdict else { throw Failure(.profile, "\(done.verdict)") }
        #expect(failure.reason == .refused && failure.outcomeUnknown == isUncertain && !done.wasSent)
    }

    @Test(arguments: [FreshRow.absent, .one(row)]) func listThatChangedBetweenTheReadsProvesNothing(second: FreshRow) throws {
        var trip = trip()
        _ = begin(&trip)
        _ = try read(["7", "9"], &trip, .absent)
        let done = try end(read(["7"], &trip, second))
        #expect(done.verdict.name == .unread && !done.wasSent && trip.row == nil)
    }

    /// The same contradiction in all passes.
    private func readContradiction(_ trip: inout DeliveryAttempt) throws {
        var step = begin(&trip)
        for _ in 1...3 {
            #expect(step == first)
            step = trip.readRow(page(["5", "7", "5"], total: 3), status: 200, at: now)
        }
        guard case .findRow(let rows) = step else { throw Failure(.profile, "\(step)") }
        #expect(rows.map(\.id) == ["5", "7", "5"])
    }

    @Test(arguments: [FreshRow.absent, .one(row), .unreadable(failure)]) func contradictoryListProvesNothing(found: FreshRow) throws {
        var trip = trip()
        try readContradiction(&trip)
        let done = try end(trip.found(found, at: now))
        #expect(done.verdict.name == .unread && !done.wasSent && trip.row == nil)
        #expect(done.verdict.failure?.message.contains("contradicts itself") == true)
    }

    /// No later read can tell which one is meant.
    @Test func severalRowsInAContradictoryListNeedAPerson() throws {
        var trip = trip()
        try readContradiction(&trip)
        let done = try end(trip.found(.unfit(Failure(.profile, "two")), at: now))
        #expect(done.verdict == .permanent(Failure(.profile, status: 200, "two")) && !done.wasSent)
    }

    @Test func listWithNamelessRowsProvesNoAbsence() throws {
        var trip = trip()
        _ = begin(&trip)
        let rows = [RosterRow(id: "7", label: "", folded: "", kept: [])]
        let step = trip.readRow(.page(ResourcePage(rows: rows, total: 2, nameless: 1)), status: 200, at: now)
        #expect(step == .findRow(in: rows))
        let done = try end(trip.found(.absent, at: now))
        #expect(done.verdict.name == .unread && done.verdict.failure?.message.contains("without a usable id") == true)
    }

    @Test func changingListIsNotSearched() throws {
        var trip = trip()
        var step = begin(&trip)
        for number in 1...3 { step = trip.readRow(page(["5", "5"], total: 2 + number), status: 200, at: now) }
        #expect(try end(step).verdict.name == .unread)
    }

    @Test func unusableRowsAreNotSent() throws {
        let cases: [(FreshRow, String)] = [
            (.unfit(Failure(.profile, "two")), "permanent"), (.unreadable(Failure(.profile, "no")), "unread"),
        ]
        for (found, name) in cases {
            var trip = trip()
            _ = begin(&trip)
            let done = try end(read(["5"], &trip, found))
            #expect(done.verdict.name.rawValue == name && !done.wasSent && done.verdict.failure?.reason == .profile)
        }
    }

    @Test func failedReadNeitherCountsNorSends() throws {
        let until = now.addingTimeInterval(60)
        let busy = Failure(.throttled, status: 429, "slow")
        let answers: [(ResourceAnswer, String)] = [(.failed(Self.failure), "unread"), (.throttled(busy, until: until), "unread")]
        for (answer, name) in answers {
            var trip = trip()
            _ = begin(&trip)
            let done = try end(trip.readRow(answer, status: 500, at: now))
            #expect(done.verdict.name.rawValue == name && !done.wasSent)
        }
        let failures: [(Verdict, String)] = [
            (.unreachable(Failure(.offline, "offline")), "unreachable"), (.permanent(Failure(.tooLarge, "large")), "unread"),
            (.permanent(Failure(.profile, "no rows")), "permanent"),
        ]
        for (verdict, name) in failures {
            var trip = trip()
            _ = begin(&trip)
            let done = try end(trip.failed(verdict, at: now))
            #expect(done.verdict.name.rawValue == name)
        }
    }

    @Test(arguments: [(0, 30), (1, 60), (4, 480), (5, 900), (1000, 900)] as [(Int, TimeInterval)])
    func waitsLongerAfterEachFailedRead(releases: Int, seconds: TimeInterval) throws {
        var trip = trip { $0.releases = releases }
        _ = begin(&trip)
        let done = try end(trip.readRow(.failed(Self.failure), status: 500, at: now))
        guard case .unread(_, let until) = done.verdict else { throw Failure(.profile, "\(done.verdict)") }
        #expect(until == now.addingTimeInterval(seconds))
    }

    @Test(arguments: [(0, "unread"), (8, "unread"), (9, "permanent"), (20, "permanent")])
    func readThatTheServerStopsIsHeldInTheEnd(looks: Int, name: String) throws {
        var trip = trip { $0.looks = looks }
        _ = begin(&trip)
        #expect(trip.readRow(page(["1"], total: 2), status: 200, at: now) == .readRow(page: 2, unless: nil))
        let busy = Failure(.throttled, status: 429, "slow")
        let done = try end(trip.readRow(.throttled(busy, until: now.addingTimeInterval(60)), status: 429, at: now))
        #expect(done.verdict.name.rawValue == name && !done.wasSent)
        let reason: Failure.Reason = name == "unread" ? .tooLarge : .profile
        #expect(done.verdict.failure?.reason == reason)
    }

    /// It says nothing about the length of the list.
    @Test(arguments: [(60, 60), (5, 30)] as [(TimeInterval, TimeInterval)])
    func busyServerIsAskedAgainHoweverOften(asked: TimeInterval, waits: TimeInterval) throws {
        var trip = trip { $0.looks = 20 }
        _ = begin(&trip)
        let busy = Failure(.throttled, status: 429, "slow")
        let done = try end(trip.readRow(.throttled(busy, until: now.addingTimeInterval(asked)), status: 429, at: now))
        guard case .unread(let failure, let until) = done.verdict else { throw Failure(.profile, "\(done.verdict)") }
        #expect(failure.reason == .throttled && until == now.addingTimeInterval(waits))
    }

    @Test func renewedSessionReadsAgainBeforeItSends() throws {
        var trip = trip()
        _ = begin(&trip)
        let refused = Failure(.signInRequired, status: 401, "no")
        #expect(trip.readRow(.unauthorized(refused), status: 401, at: now) == .renew)
        #expect(trip.renewed() == first)
        var step = try read(["5"], &trip, .one(Self.row))
        #expect(step == .send)
        #expect(trip.answered(.unauthorized(refused), at: now) == .renew)
        step = trip.renewed()
        #expect(step == first && trip.row == nil)
        step = try read(["5"], &trip, .one(Self.row))
        #expect(step == .send)
        // Refused again, so the session is not the cause.
        let done = try end(trip.answered(.unauthorized(refused), at: now))
        #expect(done.verdict.name == .transient && done.verdict.failure?.reason == .stillUnauthorized && done.wasSent)
    }

    @Test func sessionThatCannotBeRenewedReadsNothing() throws {
        var trip = trip()
        _ = begin(&trip)
        #expect(trip.readRow(.unauthorized(Failure(.signInRequired, status: 401, "no")), status: 401, at: now) == .renew)
        let done = try end(trip.notRenewed(at: now))
        #expect(done.verdict.name == .unread)
    }
}
