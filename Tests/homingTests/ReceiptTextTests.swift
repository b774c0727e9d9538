import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct ReceiptTextTests {
    private func receipt(_ number: Int, _ change: (inout ReceiptReport) -> Void = { _ in }) -> ReceiptReport {
        var receipt = ReceiptReport(
            sequence: Int64(number), id: Sample.id(number), outcome: "delivered", capturedAt: Sample.ago(minutes: 90),
            settledAt: Sample.ago(minutes: 3), backend: "breathesafe", account: "5", email: "anna@clinic.example", lane: "users/5",
            route: "measurement", remoteID: "811", status: 201, foundByLookup: false, attempts: 0, size: 17_400, discardedBy: nil)
        change(&receipt)
        return receipt
    }

    private var discarded: ReceiptReport {
        receipt(2) {
            $0.outcome = "discarded"
            ($0.remoteID, $0.status, $0.discardedBy, $0.email) = (nil, nil, "bob", nil)
        }
    }

    private let text = ReceiptText(style: .plain, times: Sample.times)

    @Test func tableShowsOutcomeOfEachEntry() {
        let looked = receipt(3) { $0.foundByLookup = true }
        #expect(
            text.table(ReceiptPage(receipts: [receipt(1), discarded, looked], next: 3)) == """
                #  ID            OUTCOME    CAPTURED  SETTLED  ACCOUNT              PROOF
                1  3f2a91c04b01  delivered  12:45     14:12    anna@clinic.example  server id 811 (201)
                2  3f2a91c04b02  discarded  12:45     14:12    5                    by bob
                3  3f2a91c04b03  delivered  12:45     14:12    anna@clinic.example  server id 811 (201), looked up
                There are more: add ‘--after 3’, or ‘--csv’ for all
                """)
        #expect(text.table(ReceiptPage(receipts: [], next: nil)).hasPrefix("There are no receipts to show: no matching entry"))
    }

    @Test func tableNamesPeopleWithinItsWidth() {
        let page = ReceiptPage(receipts: [receipt(1) { $0.subject = Sample.subject() }], next: nil)
        func table(_ width: Int) -> String { ReceiptText(style: .plain, times: Sample.times, width: width).table(page) }
        #expect(
            table(120) == """
                #  ID            OUTCOME    CAPTURED  SETTLED  FOR                ACCOUNT              PROOF
                1  3f2a91c04b01  delivered  12:45     14:12    Anna Example (28)  anna@clinic.example  server id 811 (201)
                """)
        #expect(
            table(80) == """
                #  ID            OUTCOME    SETTLED  FOR                PROOF
                1  3f2a91c04b01  delivered  14:12    Anna Example (28)  server id 811 (201)
                """)
        for width in 40...120 {
            for line in table(width).split(separator: "\n") { #expect(String(line).columns <= width && line.contains(/FOR|\(28\)/)) }
        }
    }

    @Test(arguments: [40, 80, 120]) func tableAndDetailFitTheirWidth(width: Int) {
        let text = ReceiptText(style: .plain, times: Sample.times, width: width)
        let wide = receipt(4_000_000) {
            $0.subject = Sample.subject("5", String(repeating: "名e\u{301}", count: 70))
            ($0.settledAt, $0.outcome, $0.discardedBy) = (Sample.ago(minutes: 700_000), "discarded", String(repeating: "名", count: 70))
        }
        let page = ReceiptPage(receipts: [receipt(1), wide], next: 4_000_000)
        for line in (text.table(page) + "\n" + text.detail(wide)).split(separator: "\n").map(String.init) {
            #expect(line.columns <= width, "\(line)")
        }
        #expect(text.table(page).contains("… (5)"))
    }

    @Test func detailShowsOutcomeAndAccount() {
        let lines = text.detail(discarded).split(separator: "\n").map(String.init)
        #expect(lines.contains("outcome   discarded by bob") && lines.contains("account   5"))
        #expect(text.detail(receipt(1)).contains("anna@clinic.example (5)"))
        #expect(text.detail(receipt(1) { $0.subject = Sample.subject() }).contains("\nfor        Anna Example (28)\n"))
    }

    @Test func saysWhoResolvedOrReplacedAnEntry() {
        let resolved = receipt(1) { ($0.status, $0.resolvedBy) = (nil, "bob") }
        #expect(text.table(ReceiptPage(receipts: [resolved], next: nil)).hasSuffix("server id 811, resolved by bob"))
        #expect(text.detail(resolved).contains(/resolved +by bob, as delivered\n/))
        #expect(ReceiptCSV.line(resolved).hasSuffix(",false,,,bob\r\n"))
        var replaced = discarded
        replaced.supersededBy = Sample.id(3)
        #expect(text.table(ReceiptPage(receipts: [replaced], next: nil)).hasSuffix("replaced by 3f2a91c04b03"))
        #expect(text.detail(replaced).contains("by entry 3f2a91c04b03\n"))
        #expect(ReceiptCSV.line(replaced).hasSuffix(",,\(Sample.id(3)),\r\n"))
    }

    @Test func csvFollowsRFC4180() {
        #expect(ReceiptCSV.heading.hasSuffix("\r\n") && ReceiptCSV.heading.split(separator: ",").count == 22)
        #expect(
            ReceiptCSV.line(receipt(1))
                == "1,\(Sample.id(1)),delivered,2025-03-11T11:45:00.000Z,2025-03-11T11:45:00.000Z,2025-03-11T13:12:00.000Z,breathesafe,5,"
                + "anna@clinic.example,users/5,measurement,811,201,false,0,17400,,,false,,,\r\n")
        #expect(ReceiptCSV.line(receipt(1) { $0.subject = Sample.subject() }).hasSuffix(",,,false,28,,\r\n"))
        let odd = receipt(1) { $0.remoteID = "a,\"b\"" }
        #expect(ReceiptCSV.line(odd).contains(",measurement,\"a,\"\"b\"\"\",201,"))
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1", "\r=1+1", " =1+1", "＝1"])
    func csvEscapesFormulas(cell: String) {
        let line = ReceiptCSV.line(receipt(1) { $0.remoteID = cell })
        let found = line.split(separator: ",", omittingEmptySubsequences: false)[11]
        #expect(found == "'" + cell.printable)
        #expect(ReceiptCSV.line(receipt(1) { $0.remoteID = "a=1" }).contains(",a=1,"))
    }

    @Test func csvHasNoControlCharactersExceptLineEndings() {
        let odd = receipt(1) {
            $0.lane = "line\nbreak"
            $0.email = "\u{1B}[31mred"
            $0.discardedBy = "bob\r\n\u{7}"
        }
        let line = ReceiptCSV.line(odd)
        #expect(line.hasSuffix("\r\n"))
        #expect(!line.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
}
