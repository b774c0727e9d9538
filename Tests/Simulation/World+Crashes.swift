import Delivery
import Foundation
import Outbox
import Salvage
import SyncModel
import TestSupport

extension World {
    func crash(_ isFault: Bool, _ storeLands: Bool, _ effects: UInt64) async throws {
        guard isRunning else { return }
        happened(isFault ? "crash" : "kill")
        for (index, attempt) in tries.enumerated() where attempt.sent != nil && effects >> UInt64(index % 64) & 1 == 1 {
            guard let item = model.items[attempt.entry.sequence], item.curse.map({ $0.isOfLookUps || $0.fate.isEffective }) ?? true else {
                continue
            }
            try takeEffect(item, attempt)
        }
        for case .store(let settled, let slots) in underway where storeLands && !isDiskFull { _ = try await write(settled, slots) }
        earlier = (
            outbox, tries.map { Settled($0.entry, .delivered(Receipt(remoteID: "late", status: 201, at: now)), attempt: nil) }
        )
        try reopen(isFault: isFault)
        try await checkStore()
    }

    func reopen(isFault: Bool) throws {
        happened()
        if sabotage != .keepsEpoch {
            outbox = try StoreDoctor.open(
                file: folder("outbox.sqlite"), vault: vault, crashed: isFault, lookupAfter: Self.lookupAfter, now: now
            ).outbox
        }
        model.recover(isFault: isFault, due: now.addingTimeInterval(Self.lookupAfter))
        try boot()
    }

    /// A write that arrives after its run crashed changes nothing.
    func settleLate() async throws {
        guard let earlier, !earlier.settled.isEmpty else { return }
        self.earlier = nil
        _ = try await earlier.outbox.settle(earlier.settled, thenClaim: [:], at: now)
        happened("lateSettlement")
        try await checkStore()
    }
}
