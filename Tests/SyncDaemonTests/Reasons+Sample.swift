import ControlAPI
import Foundation
import SyncModel

@testable import SyncDaemon

extension Reasons {
    /// Of an entry of ann@lab.test that nothing delays, and that can be looked up.
    static func sample(at now: Date) -> Reasons {
        Reasons(
            owner: "ann@lab.test", fields: [:], subjectReport: nil, rowTitle: nil, isFollower: false, retryMayDuplicate: false,
            mayBeTwice: false, discardNote: nil, receipt: nil, blocker: nil, ahead: 0, earlier: 0, later: 0, newer: nil,
            create: nil, isRowKnown: false, dependents: 0,
            route: RouteFacts(
                hasProfile: true, canLookUp: true, looksUpRow: false, readsRow: false, deletes: false, changes: false, laneFields: [],
                noun: nil),
            list: .none, obstacles: .none, commands: NextCommands(), attempts: 3, mayDestroy: true,
            moment: Moment(now: now, timeZone: .gmt))
    }

    func explain(_ entry: Entry) -> (sentence: String, next: NextStep) {
        let found = finding(entry)
        return (found.sentence, found.next)
    }
}
