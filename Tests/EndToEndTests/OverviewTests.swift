import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct OverviewTests {
    @Test func receiptsListDeliveredAndDiscardedEntries() async throws {
        let station = try await TestStation(delivery: "first_pause: 600, longest_pause: 600")
        try await station.start()
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        await station.sandbox.down()
        try await station.submit(id: 2)
        let early = try await station.homing("receipt", Samples.id(2).description)
        #expect(early.code == 1 && early.text.contains("has no receipt yet"), "\(early.text)")
        // Only pending entries can be discarded.
        try await station.event("released")
        #expect(try await station.homing("discard", "2", "--now", "--yes").code == 0)

        let csv = try await station.homing("receipts", "--csv")
        let rows = csv.text.components(separatedBy: "\r\n")
        #expect(csv.code == 0 && rows.count == 4 && rows.last == "")
        #expect(rows[1].hasPrefix("1,\(Samples.id(1)),delivered,") && rows[1].contains(",manager@lab.test,users/5,measurement,"))
        #expect(rows[2].hasPrefix("2,\(Samples.id(2)),discarded,"))
        let table = try await station.homing("receipts", "--after", "1", "--backend", "breathesafe")
        #expect(table.text.contains("discarded") && !table.text.contains("delivered"), "\(table.text)")
        let one = try await station.client.call(Endpoints.receipt, EntryReference(id: Samples.id(1).description))
        #expect(one.remoteID != nil && one.status == 201 && one.email == "manager@lab.test")
        #expect(try await station.homing("receipt", "1").text.contains("number     1\n"))
        let why = try await station.homing("why", "2")
        #expect(why.text.contains(" discarded it at ") && why.text.contains("run: homing receipt"), "\(why.text)")
        #expect(try await station.homing("receipt", "9").code == 1)
        try await station.end(SIGTERM)
    }

    @Test func checkPrintsOneLineAndSetsExitCode() async throws {
        let station = try await TestStation()
        let absent = try await station.homing("check")
        #expect(absent.code == 2 && absent.text.hasPrefix("HOMING CRITICAL - "), "\(absent.text)")
        try await station.start()
        try await station.login()
        let well = try await station.homing("check", "--critical-age", "4h")
        let line = "HOMING OK - Nothing is waiting. | waiting=0;;;0 oldest=0s;3600;14400;0 failed=0;;;0 held=0;;;0\n"
        #expect(well.code == 0 && well.text == line, "\(well.text)")
        #expect(try await station.homing("pause", "--reason", "so that it waits").code == 0)
        try await station.submit(id: 1)
        #expect(try await station.homing("check").code == 0)
        // The capture gets older in real time.
        try await Task.sleep(for: .seconds(1.1))
        let old = try await station.homing("check", "--warning-age", "1s")
        #expect(old.code == 1 && old.text.contains("Entry \(EntryName.short(Samples.id(1).description)) "), "\(old.text)")
        #expect(try await station.homing("logout", "--yes").code == 0)
        let out = try await station.homing("check")
        #expect(out.code == 1 && out.text.hasPrefix("HOMING WARNING - Not signed in"), "\(out.text)")
        #expect(out.text.filter { $0 == "\n" }.count == 1)
        let wrong = try await station.homing("check", "--warning-age", "soon")
        #expect(wrong.code == 3 && wrong.text.hasPrefix("HOMING UNKNOWN - "), "\(wrong.text)")
        try await station.end(SIGTERM)
    }

    @Test func watchPrintsOnceToPipeAndCompletesIDs() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.submit(user: 5, id: 1)
        try await station.event("delivered")
        #expect(try await station.homing("pause", "--reason", "a look").code == 0)
        try await station.submit(user: 6, id: 2)
        for arguments in [["watch", "--once"], ["watch"]] {
            let picture = arguments.count == 2 ? try await station.homing("watch", "--once") : try await station.homing("watch")
            #expect(picture.code == 0 && picture.text.hasPrefix("1 capture is safe here; sending is paused by "), "\(picture.text)")
            let lines = picture.text.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("users/6") && $0.contains("waiting") && $0.contains("000000000002") })
            #expect(lines.contains { $0.contains("000000000001") && $0.contains("measurement") })
            #expect(!picture.text.contains("\u{1B}"))
        }
        let lanes = try await station.client.call(Endpoints.lanes, LaneQuery()).lanes
        #expect(lanes.map(\.lane) == ["users/6"] && lanes.first?.waiting == 1)

        let ids = try await station.suggestions("why", "--", "positional@0", "2", "0", "homing", "why", "")
        #expect(ids == ["000000000002", "000000000001"])
        let backends = try await station.suggestions("list", "--", "--backend", "2", "0", "homing", "list", "")
        #expect(backends == ["breathesafe"])
        try await station.end(SIGTERM)
        let none = try await station.homing("watch", "--once")
        #expect(none.code == 3, "\(none.text)")
    }
}
