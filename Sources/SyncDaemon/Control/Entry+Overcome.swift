import Foundation
import SyncModel

extension Entry {
    /// When a person retried it; nil if it has been tried since.
    var revivedAt: Date? {
        guard let date = retriedAt, triedAt.map({ $0 <= date }) ?? true else { return nil }
        return date
    }

    /// A person has fixed, retried or discarded it, so its last refusal says nothing about the next send.
    var isOvercome: Bool {
        switch state {
        case .pending, .inflight: revivedAt != nil
        case .held: holdReason == .discarding
        case .discarded: true
        case .delivered, .dead: false
        }
    }

    /// The server's last answer to it was a refusal.
    private var wasRefused: Bool { lastReason == .refused || lastReason == .forbidden }

    /// The server refused it, and no person has retried it since.
    var isRefused: Bool { revivedAt == nil && wasRefused }

    /// The server refused it, and a person has retried it since.
    var mayBeRefusedAgain: Bool { revivedAt != nil && wasRefused }
}
