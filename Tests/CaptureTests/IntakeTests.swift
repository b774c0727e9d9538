import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Capture

@Suite struct IntakeTests {
    private let store: Store
    private var outbox: Outbox { store.outbox }
    private var clock: TestClock { store.clock }

    init() throws { store = try Store() }

    private func intake(_ accounts: [String: Account?] = ["breathesafe": .ann]) -> Intake {
        Intake(outbox: outbox, addressing: FakeAddressing(accounts), clock: clock)
    }

    private func submission(_ number: Int, user: Int64? = 5, payload: String = "{}") -> Submission {
        Submission(
            route: "measurement", id: Samples.id(number), fields: user.map { ["user_id": .int($0)] } ?? [:],
            payload: Data(payload.utf8))
    }

    @Test func entryBelongsToSignedInAccount() async throws {
        let accepted = try await intake(["breathesafe": .bob]).accept(submission(1))
        let destination = Destination(backend: "breathesafe", account: "2")
        #expect(accepted == .init(id: Samples.id(1), enqueued: .new(sequence: 1), destination: destination, lane: Lane("users/5")))
        let record = try #require(try await outbox.entry(Samples.id(1))?.entry)
        #expect(record.destination == destination)
        #expect(record.mutation.onDead == .skip)
        #expect(record.mutation.capturedAt == clock.now)
        #expect(try await outbox.accountLabels() == [destination: "bob@lab.test"])
    }

    @Test func storesSubmissionByteForByte() async throws {
        let payload = "{ \"b\" : 1.50,\n\"a\": \"\\u00fc\" }"
        _ = try await intake().accept(self.submission(9))
        var submission = submission(1, payload: payload)
        submission.supersedes = Samples.id(9)
        _ = try await intake().accept(submission)
        let entry = try #require(try await outbox.claim([Samples.destination: 1], at: clock.now).entries.first)
        #expect(entry.mutation.payload == Data(payload.utf8))
        #expect(entry.mutation.fields == ["user_id": 5])
        #expect(entry.mutation.supersedes == Samples.id(9))
        #expect(entry.mutation.route == "measurement")
    }

    @Test func mintsIDForSubmissionWithoutOne() async throws {
        var submission = submission(1)
        submission.id = nil
        let first = try await intake().accept(submission)
        let second = try await intake().accept(submission)
        #expect(first.id != second.id)
        #expect([first, second].map(\.enqueued) == [.new(sequence: 1), .new(sequence: 2)])
    }

    @Test func repeatedSubmissionIsDuplicateAndChangedOneConflicts() async throws {
        let intake = intake()
        _ = try await intake.accept(submission(1))
        #expect(
            try await intake.accept(submission(1)).enqueued
                == .duplicate(sequence: 1, of: Destination(backend: "breathesafe", account: "1"), Lane("users/5")))
        await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(1)))) {
            try await intake.accept(submission(1, payload: #"{"a":1}"#))
        }
        await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(1)))) { try await intake.accept(submission(1, user: 6)) }
        #expect(try await outbox.entries(limit: 10).count == 1)
    }

    @Test func repeatedSubmissionIsKnownWithoutAnAccount() async throws {
        let accepted = try await intake().accept(submission(1))
        let signedOut = intake(["breathesafe": nil])
        let again = try #require(try await signedOut.repeated([submission(1)], at: "breathesafe"))
        #expect(again.map(\.enqueued) == [.duplicate(sequence: 1, of: accepted.destination, accepted.lane)])
        #expect(again.map(\.destination) == [accepted.destination] && again.map(\.lane) == [accepted.lane])
        await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(1)))) {
            try await signedOut.repeated([submission(1, user: 6)], at: "breathesafe")
        }
        var unnamed = submission(1)
        unnamed.id = nil
        for submissions in [[submission(2)], [submission(1), submission(2)], [unnamed], []] {
            #expect(try await signedOut.repeated(submissions, at: "breathesafe") == nil)
        }
        #expect(try await outbox.entries(limit: 10).count == 1)
    }

    /// What makes a submission under a known id another one.
    @Test func idStandsForRouteFieldsAndPayload() async throws {
        let intake = intake()
        let first = submission(1)
        _ = try await intake.accept(first)
        let changes: [(inout Submission) -> Void] = [
            { $0.payload = nil }, { $0.payload = Data("{} ".utf8) }, { $0.payload = Data() }, { $0.route = "fit_test" },
            { $0.fields["note"] = "a" }, { $0.fields["user_id"] = "5" }, { $0.fields["user_id"] = 6 },
        ]
        for change in changes {
            var other = first
            change(&other)
            await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(1)))) { try await intake.accept(other) }
        }
        var bare = first
        (bare.id, bare.payload) = (Samples.id(2), nil)
        _ = try await intake.accept(bare)
        for change in [{ $0.payload = Data("{}".utf8) }, { $0.hasFollower = true }] as [(inout Submission) -> Void] {
            var other = bare
            change(&other)
            await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(2)))) { try await intake.accept(other) }
        }
    }

    /// The first acceptance counts: a repeated call may come later, and from another program.
    @Test func idDoesNotStandForTimeAccountAndReplacement() async throws {
        let first = submission(1)
        _ = try await intake().accept(first)
        var again = first
        (again.capturedAt, again.supersedes) = (clock.now.addingTimeInterval(-60), Samples.id(9))
        let duplicate = Enqueued.duplicate(sequence: 1, of: Samples.destination, Lane("users/5"))
        #expect(try await intake().accept(again).enqueued == duplicate)
        #expect(try await intake(["breathesafe": .bob]).accept(first).enqueued == duplicate)
        let entry = try #require(try await outbox.entry(Samples.id(1))?.entry)
        #expect(entry.mutation.capturedAt == clock.now && entry.mutation.supersedes == nil && entry.destination == Samples.destination)
    }

    @Test(
        arguments: [
            ([:], nil, IntakeError.backendNotNamed(known: [])),
            (["a": .ann, "b": .ann], nil, .backendNotNamed(known: ["a", "b"])),
            (["a": .ann, "b": .ann], "c", .unknownBackend("c", known: ["a", "b"])),
            (["a": .ann], "b", .unknownBackend("b", known: ["a"])),
            (["a": nil], nil, .signInRequired(backend: "a")),
            (["a": .ann, "b": nil], "b", .signInRequired(backend: "b")),
        ] as [([String: Account?], String?, IntakeError)])
    func refusesSubmissionWithoutKnownBackendAndAccount(accounts: [String: Account?], backend: String?, error: IntakeError) async throws {
        await #expect(throws: error) { try await intake(accounts).accept(submission(1), at: backend) }
        #expect(try await outbox.entries(limit: 10).isEmpty)
    }

    @Test func usesTheNamedBackend() async throws {
        let accepted = try await intake(["a": .ann, "b": .bob]).accept(submission(1), at: "b")
        #expect(accepted.destination == Destination(backend: "b", account: "2"))
    }

    @Test func acceptsPayloadUpToTheLimit() async throws {
        let limit = 32 << 20
        #expect(Mutation.largestPayload == limit)
        var submission = submission(1)
        submission.payload = Data(count: limit + 1)
        await #expect(throws: IntakeError.tooLarge(size: limit + 1, limit: limit)) { try await intake().accept(submission) }
        submission.payload = Data(count: limit)
        #expect(try await intake().accept(submission).enqueued == .new(sequence: 1))
    }

    @Test func refusesSubmissionWithReasonFromProfile() async throws {
        await #expect(throws: IntakeError.notUnderstood("The item field “user_id” is missing.")) {
            try await intake().accept(submission(1, user: nil))
        }
    }

    @Test func batchReturnsOutcomesInOrder() async throws {
        let intake = intake()
        _ = try await intake.accept(submission(3))
        let bob = Destination(backend: "breathesafe", account: "2")
        var batch: [Mutation] = []
        for submission in [submission(1), submission(3, payload: #"{"other":1}"#), submission(3), submission(6)] {
            batch.append(try intake.mutation(submission, for: bob, at: clock.now))
        }
        let outcomes = try await intake.accept(batch, accountLabel: nil, at: clock.now)
        func accepted(_ number: Int, _ enqueued: Enqueued, account: String = "2") -> Result<Intake.Accepted, IntakeError> {
            .success(
                .init(
                    id: Samples.id(number), enqueued: enqueued,
                    destination: Destination(backend: "breathesafe", account: AccountID(account)),
                    lane: Lane("users/5")))
        }
        #expect(
            outcomes == [
                accepted(1, .new(sequence: 2)), .failure(.outbox(.idConflict(Samples.id(3)))),
                // The entry stays Ann's.
                accepted(3, .duplicate(sequence: 1, of: Destination(backend: "breathesafe", account: "1"), Lane("users/5")), account: "1"),
                accepted(6, .new(sequence: 3)),
            ])
    }

    @Test func refusedSubmissionWritesNothing() async throws {
        await #expect(throws: IntakeError.self) { try await intake().accept(submission(1, user: nil)) }
        #expect(try await intake().accept([], accountLabel: "ann@lab.test", at: clock.now).isEmpty)
        #expect(try await outbox.newestCursor() == 0)
    }

    @Test func failedWriteIsNotAccepted() async throws {
        try outbox.close()
        await #expect {
            _ = try await intake().accept(submission(1))
        } throws: { error in
            if case .outbox(.storage)? = error as? IntakeError { true } else { false }
        }
    }
}

extension Intake {
    /// Accepts a submission for the signed-in account, like the daemon.
    func accept(_ submission: Submission, at backend: String? = nil) async throws(IntakeError) -> Accepted {
        let (backend, account) = try await account(at: backend)
        return try await accept(submission, for: account, at: backend)
    }
}
