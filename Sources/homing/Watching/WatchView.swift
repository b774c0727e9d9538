import ControlAPI
import Foundation

/// What is known of the station at one moment: all that a frame shows.
struct WatchView: Sendable, Encodable, Equatable {
    private(set) var status: Status?
    private(set) var lanes: [LaneReport] = []
    /// Entries delivered last, the newest first.
    private(set) var delivered: [Event] = []
    /// Why the daemon cannot be asked; nil while it can.
    private(set) var problem: Problem?

    /// However long it is watched, no more are kept.
    static let kept = 50

    mutating func saw(_ status: Status, _ lanes: [LaneReport]) {
        self.status = status
        self.lanes = lanes
        problem = nil
    }

    mutating func saw(_ event: Event) {
        guard event.kind == "delivered", event.cursor > delivered.first?.cursor ?? 0 else { return }
        delivered = Array(([event] + delivered).prefix(Self.kept))
    }

    mutating func lost(_ problem: Problem) { self.problem = problem }
}
