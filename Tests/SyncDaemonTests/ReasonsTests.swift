import Backends
import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Outbox
@testable import SyncDaemon

/// One sentence for each way of waiting.
@Suite struct ReasonsTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)

    private func record(
        _ number: Int, _ state: Entry.State, hold: HoldReason? = nil, error: String? = nil, due: Date? = nil, uncertain: Bool = false,
        attempts: Int = 0
    ) async throws -> EntryRecord {
        var record = EntryRecord(
            sequence: Int64(number), id: Samples.id(number), destination: Samples.destination, lane: Lane("users/5"), route: "measurement",
            state: state, onDead: .skip, capturedAt: now, attempts: attempts, releases: 0, uncertain: uncertain, size: 10)
        record.holdReason = hold
        record.lastError = error
        record.dueAt = due
        return record
    }

    private func reasons(head: EntryRecord? = nil, gate: Gate = .open, signedIn: Bool = true, canLookUp: Bool = true) -> Reasons {
        Reasons(
            head: head, gate: gate,
            session: SessionSnapshot(
                backend: "breathesafe", state: signedIn ? .signedIn : .signedOut,
                account: signedIn ? Account(id: "1", label: "ann@lab.test") : nil),
            owner: "ann@lab.test", canLookUp: canLookUp, now: now)
    }

    @Test func everyWayOfWaitingHasItsSentenceAndTheNextStep() async throws {
        let pending = try await record(1, .pending)
        let later = now.addingTimeInterval(60)
        var withoutProfile = reasons(signedIn: false)
        withoutProfile.hasProfile = false
        let cases: [(Reasons, EntryRecord, String, Bool)] = [
            (reasons(), pending, "It is next in line.", false),
            (reasons(head: try await record(0, .pending)), pending, "Others go before it in users/5", false),
            (reasons(head: try await record(0, .dead)), pending, "is dead, and what follows may depend on it", true),
            (withoutProfile, pending, "No profile describes its backend breathesafe any more.", true),
            (reasons(signedIn: false), pending, "It waits for ann@lab.test to sign in", true),
            (
                reasons(gate: .cooling(until: later, Failure(.offline, "No answer."))), pending,
                "The backend cannot be reached now: No answer.", true
            ),
            (reasons(), try await record(1, .pending, uncertain: true), "Its answer was lost", false),
            (reasons(), try await record(1, .pending, error: "Busy.", due: later), "The last time: Busy.", true),
            (reasons(), try await record(1, .inflight), "It is being sent", false),
            (reasons(), try await record(1, .delivered), "It has been delivered", false),
            (reasons(), try await record(1, .discarded), "A person discarded it", false),
            (reasons(), try await record(1, .dead, error: "No."), "The backend refused it: No.", true),
            (reasons(), try await record(1, .dead, error: "Oops.", attempts: 3), "It was tried 3 times without success", true),
            (reasons(), try await record(1, .held, hold: .forbidden, error: "No."), "is not allowed to send it: No.", true),
            (reasons(), try await record(1, .held, hold: .unknownOutcome), "may have taken effect", true),
            (reasons(), try await record(1, .held, hold: .poison), "crashed three times", true),
            (reasons(), try await record(1, .held, hold: .quarantine), "cannot be read back", true),
            (reasons(), try await record(1, .held, hold: .dependency), "depends on", true),
            (reasons(), try await record(1, .held, hold: .operator), "A person put it aside", true),
        ]
        for (reasons, record, part, hasNext) in cases {
            let (sentence, next) = reasons.explain(record)
            #expect(sentence.contains(part), "\(sentence)")
            #expect((next != nil) == hasNext, "\(sentence)")
        }
    }
}
