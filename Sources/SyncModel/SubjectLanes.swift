import Foundation

/// The lanes of an entry for any id of its row.
package struct SubjectLanes: Hashable, Sendable {
    private let lane: Lane
    private let after: Lane?
    private let placeholder: RosterID

    /// `placeholder` stands for the row's id in `lane` and `after`, and occurs nowhere else in them.
    package init(lane: Lane, after: Lane? = nil, placeholder: RosterID) {
        self.lane = lane
        self.after = after
        self.placeholder = placeholder
    }

    package func lane(for id: RosterID) -> Lane { replaced(lane, id) }

    package func after(for id: RosterID) -> Lane? { after.map { replaced($0, id) } }

    private func replaced(_ lane: Lane, _ id: RosterID) -> Lane {
        Lane(lane.rawValue.replacingOccurrences(of: placeholder.rawValue, with: id.rawValue, options: .literal))
    }
}
