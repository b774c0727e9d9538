import ControlAPI
import Foundation
import SyncModel

struct WatchView: Sendable, Encodable, Equatable {
    private(set) var status: Status?
    private(set) var lanes: [LaneReport] = []
    /// The most recently delivered entries, newest first.
    private(set) var delivered: [Event] = []
    /// The reason the daemon cannot be reached; nil if it can.
    private(set) var problem: Problem?

    static let kept = 50

    mutating func saw(_ status: Status, _ lanes: [LaneReport]) {
        self.status = status
        self.lanes = lanes
        problem = nil
    }

    mutating func saw(_ event: Event) {
        guard SyncEvent.Kind(rawValue: event.kind) == .delivered, event.cursor > delivered.first?.cursor ?? 0 else { return }
        delivered = Array(([event] + delivered).prefix(Self.kept))
    }

    mutating func lost(_ problem: Problem) { self.problem = problem }
}
