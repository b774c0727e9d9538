import Foundation
import Outbox
import SyncModel
import TestSupport

extension RosterRow {
    package static func sample(_ number: Int, _ label: String = "Anna Example") -> RosterRow {
        RosterRow(id: RosterID("\(number)"), label: label, folded: label.folded, kept: [.int(Int64(number)), .null, .number("5.0"), "é\n"])
    }
}

extension RosterRead {
    /// Of the account in `Samples`; the ETags are `W/"1"` and so on.
    package init(
        _ pages: [[RosterRow]?], of resource: String = "people", rule: String = "rule", incomplete: Incompleteness? = nil, at date: Date
    ) {
        let numbered = pages.enumerated().map { index, rows -> (etag: String?, rows: [RosterRow])? in
            rows.map { (etag: "W/\"\(index + 1)\"", rows: $0) }
        }
        self.init(
            key: RosterKey(destination: Samples.destination, resource: resource), rule: Data(rule.utf8),
            beganAt: date.addingTimeInterval(-5), readAt: date, pages: numbered, total: pages.reduce(0) { $0 + ($1?.count ?? 0) },
            incomplete: incomplete)
    }
}
