import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct AuditTextTests {
    private func record(_ kind: String, _ event: String, _ change: (inout AuditRecord) -> Void = { _ in }) -> AuditRecord {
        var record = AuditRecord(cursor: 1, at: Sample.ago(minutes: 3), kind: kind, event: event)
        (record.uid, record.user) = (1000, "anna")
        change(&record)
        return record
    }

    private func table(_ page: AuditPage, _ query: AuditQuery = AuditQuery(), width: Int = Table.width) -> String {
        AuditText(style: .plain, times: Sample.times, width: width).table(page, query)
    }

    private var page: AuditPage {
        AuditPage(records: [
            record("sign-out", "signedOut") { $0.email = "anna@clinic.example" },
            record("discard", "held") { ($0.entry, $0.detail) = (Sample.id(1), ["note": "wrong person"]) },
        ])
    }

    @Test func namesTheActionTheUserAndTheAccountOrEntry() {
        #expect(
            table(page) == """
                TIME   ACTION      USER  ABOUT
                14:12  signed out  anna  anna@clinic.example
                14:12  discarded   anna  3f2a91c04b01, wrong person
                """)
    }

    @Test func fitsFortyColumns() {
        let lines = table(page, width: 40).split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 40 && ($0.contains("anna") || $0.contains("USER")) })
    }

    @Test func saysThatThereAreNoRecords() {
        let query = AuditQuery(since: Sample.ago(minutes: 90), kind: "sign-out")
        #expect(table(AuditPage(records: []), query) == "There are no records of the kind ‘sign-out’ since 12:45.")
    }

    @Test func saysSinceWhenEventsAreKept() {
        let page = AuditPage(records: page.records, keptSince: Sample.ago(minutes: 90))
        let words = "Homing keeps events since 12:45. Earlier ones are not listed."
        #expect(table(page, AuditQuery(since: Sample.ago(minutes: 120))).hasSuffix(words))
        #expect(!table(page, AuditQuery(since: Sample.ago(minutes: 60))).contains(words))
    }
}
