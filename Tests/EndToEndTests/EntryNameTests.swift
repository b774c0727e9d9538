import ControlAPI
import Foundation
import StationSupport
import SyncModel
import TestSupport
import Testing

/// The daemon resolves the names of entries.
@Suite struct EntryNameTests {
    private static let shortID = EntryName.short(Samples.id(2).description)

    /// The second and third entry stay, because sending is paused.
    private func station() async throws -> TestStation {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(try await station.homing("pause", "--reason", "a test").code == 0)
        for number in 2...3 { try await station.submit(id: number) }
        return station
    }

    @Test func commandsTakeNumbersAndPartsOfIDs() async throws {
        let station = try await station()
        for name in [Self.shortID, "2", "#2", "0002", Samples.id(2).description] {
            for command in ["why", "show", "retry"] {
                let result = try await station.homing(command, name, "--json")
                #expect(result.code == 0 && result.text.contains(Samples.id(2).description), "\(command) \(name): \(result.text)")
            }
        }
        let receipt = try await station.homing("receipt", EntryName.short(Samples.id(1).description), "--json")
        #expect(receipt.code == 0 && receipt.text.contains(Samples.id(1).description), "\(receipt.text)")
        try await station.end(SIGTERM)
    }

    @Test func invalidEntryNameIsExplainedAndChangesNothing() async throws {
        let station = try await station()
        let several = try await station.homing("why", "00000000")
        #expect(several.code == 2 && several.text.contains("#3 000000000003, #2 000000000002, #1 000000000001."), "\(several.text)")
        let none = try await station.homing("show", "ffff")
        #expect(none.code == 1 && none.text.contains("begins or ends with ‘ffff’") && none.text.contains("homing list"), "\(none.text)")
        let malformed = try await station.homing("receipt", "first")
        #expect(malformed.code == 2 && malformed.text.contains("‘first’ is not an entry number or id."), "\(malformed.text)")
        #expect(try await station.homing("discard", "2", "ffff", "--now", "--yes").code == 1)
        #expect(try await station.entries("pending").count == 2)
        try await station.end(SIGTERM)
    }

    @Test func duplicateNamesAreMergedInOrder() async throws {
        let station = try await station()
        let discarded = try await station.homing("discard", "3", "2", Self.shortID, "--now", "--yes", "--json")
        let entries = try JSONCoding.decoder.decode([EntrySummary].self, from: Data(discarded.text.utf8))
        #expect(discarded.code == 0 && entries.map(\.sequence) == [3, 2])
        #expect(try await station.entries("discarded").map(\.sequence) == [2, 3])
        try await station.end(SIGTERM)
    }

    @Test func aCommandWithOneNameMakesOneCall() async throws {
        let station = try await TestStation()
        let now = Date(timeIntervalSince1970: 1_765_000_000)
        var entry = EntrySummary(
            sequence: 2, id: Samples.id(2).description, backend: "breathesafe", account: "1", route: "measurement", lane: "users/5",
            state: "pending", capturedAt: now)
        (entry.canBeLookedUp, entry.size) = (true, 1)
        let receipt = ReceiptReport(
            sequence: 2, id: entry.id, outcome: "delivered", capturedAt: now, settledAt: now, backend: "breathesafe", account: "1",
            email: nil, lane: "users/5", route: "measurement", remoteID: "7", status: 201, foundByLookup: false, attempts: 0, size: 1,
            discardedBy: nil)
        let answers = [
            "GET /v1/entries/\(Self.shortID)": JSONCoding.encoded(EntryDetail(entry: entry, attempts: [])),
            "GET /v1/entries/\(Self.shortID)/why": JSONCoding.encoded(
                Explanation(id: entry.id, state: "pending", sentence: "It is the next to be sent.", next: nil, needsPerson: false)),
            "GET /v1/receipts/\(Self.shortID)": JSONCoding.encoded(receipt),
            "POST /v1/entries/\(Self.shortID)/retry": JSONCoding.encoded(entry),
        ]
        let daemon = try await ScriptedServer(at: station.directory("homing.sock")) { request in
            ScriptedServer.Answer(200, String(decoding: answers[request.line] ?? Data("{}".utf8), as: UTF8.self))
        }
        let commands = [
            ["show", Self.shortID], ["why", Self.shortID], ["receipt", Self.shortID], ["retry", Self.shortID, "--json"],
        ]
        for command in commands {
            let result = try await station.homing(command)
            #expect(result.code == 0, "\(command): \(result.text)")
        }
        #expect(daemon.requests.count == commands.count && Set(daemon.requests.map(\.line)) == Set(answers.keys))
        await daemon.stop()
    }
}
