import Foundation
import GRDB

/// A negative control of the campaign: what a station would leave without one of the guarantees.
enum RotationFlaw: String, LifeFlaw {
    case keptRow = "the sealing again of each row"
    case keptKeyring = "the removal of the keyring that the old key opens"
    case keptPage = "the erasure of freed pages"
    case oldKey = "the change of the key file"
    case lost = "an acknowledged entry"

    /// Leaves in a copy of the state directory what an earlier copy has.
    func spoil(_ copy: StolenState, from earlier: StolenState) throws {
        switch self {
        case .keptRow:
            guard let row = try earlier.contents().first else { return }
            let queue = try DatabaseQueue(path: copy.file("outbox.sqlite"))
            try queue.write { db in
                try db.execute(sql: "UPDATE content SET sealed = ? WHERE sequence = ?", arguments: [row.sealed, row.sequence])
            }
            try queue.close()
        case .keptKeyring: try earlier.content("homing.keyring").write(to: URL(fileURLWithPath: copy.file("homing.keyring.tmp")))
        case .keptPage:
            guard let row = try earlier.sealedRows().last else { return }
            try (Data(count: 100) + row + Data(count: 100)).write(to: URL(fileURLWithPath: copy.file("page")))
        case .oldKey: try earlier.content("homing.key").write(to: URL(fileURLWithPath: copy.file("homing.key")))
        case .lost: break
        }
    }

    func isSeen(in finding: LifeFinding) -> Bool {
        func isFound(_ words: String) -> Bool { finding.problems.contains { $0.contains(words) } }
        return switch self {
        case .keptRow: isFound("an earlier key opens") && isFound("the present key does not open")
        case .keptKeyring: isFound("an earlier master key opens a keyring in homing.keyring.tmp")
        case .keptPage: isFound("an earlier key sealed is left in page")
        case .oldKey: isFound("the station does not open with its key")
        case .lost: finding.lost > 0
        }
    }
}
