import ControlAPI
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// What a person can do about an entry whose create did not make its row.
@Suite struct NeedsProblemTests {
    private static let id = Samples.id(2)

    private func next(_ state: Entry.State) -> String? { Problem(OutboxError.needs(Self.id, state)).next }

    @Test(arguments: [(.dead, "neededFailed"), (.held, "neededHeld"), (.discarded, "neededDiscarded")] as [(Entry.State, String)])
    func reasonIsTheStateOfTheCreate(state: Entry.State, reason: String) {
        let facts = Problem(OutboxError.needs(Self.id, state)).facts
        #expect(facts?.reason == reason && facts?.entry == "\(Self.id)")
    }

    @Test func failedCreateCanBeRetried() {
        #expect(next(.dead) == "After fixing the cause, run: homing retry \(Self.id)\nHoming then sends this entry too.")
    }

    /// A retry could create the person twice, or would be refused.
    @Test func createOnHoldIsExplained() {
        #expect(next(.held) == "To see the reason and the next step, run: homing why \(Self.id)")
    }

    @Test func discardedCreateNeedsAnotherRow() {
        #expect(next(.discarded) == "Submit its payload for another row.")
    }
}
