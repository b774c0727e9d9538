import ControlAPI
import Foundation
import HTTPTypes
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// An attacker with all possible captures and everything stored and reported, but no key. See KeyedDigests.
@Suite struct GuessingTests {
    private static func document(_ year: String, _ gender: String, _ number: String) -> String {
        #"{"timestamp":\#(number),"average_measurements":{},"birth_year":\#(year),"gender":"\#(gender)"}"#
    }

    private static func guesser(_ receipts: [SubmissionReceipt]) -> Guesser {
        let documents = Guesser.documents(document)
        let sealed = documents.flatMap {
            Guesser.sealedForms(fields: #"{"user_id":5}"#, payload: $0, backend: "breathesafe", route: "measurement")
        }
        let values = (1930...2025).map { Data(String($0).utf8) } + ["female", "male", "other", "5"].map { Data($0.utf8) }
        return Guesser(documents + sealed + values, salts: receipts.map { Data($0.id.utf8) } + [Data("breathesafe".utf8)])
    }

    @Test func storedAndReportedDataRevealNoPayload() async throws {
        let station = try await TestStation()
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()
        var receipts: [SubmissionReceipt] = []
        for number in 1...2 {
            let payload = Data(Self.document("1984", "female", String(number)).utf8)
            receipts.append(
                try await station.client.call(
                    Endpoints.submit,
                    ControlAPI.Submission(
                        route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"], payload: payload)))
            try await station.event("delivered", count: number)
        }
        // This entry is dropped as a file and stays in the queue.
        await station.sandbox.down()
        try station.drop(Data(Self.document("1991", "male", "3").utf8), as: "a.json")
        try await station.event("captured", count: 3)
        let guesser = Self.guesser(receipts)
        #expect(guesser.leaks(in: try await Canary.places(station, log, isRunning: true)) == [])
        try await station.end(SIGKILL)
        #expect(guesser.leaks(in: try await Canary.places(station, log, isRunning: false)) == [])
        // The control: the digest in the response, which is not stored, confirms a guess.
        let digest = try #require(receipts.first?.sha256)
        #expect(guesser.confirmed(by: Data("x \(digest)".utf8)) == [Self.document("1984", "female", "1")].map { String($0.prefix(80)) })
    }

    /// The attacker knows the server's response, byte by byte.
    @Test func storedAndReportedDataRevealNoPerson() async throws {
        let bodies = Mutex<[SandboxResponse]>([])
        let person: JSONObject = ["first_name": "Anna", "last_name": "Example"]
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration { $0.managedUsers = [.init(user: 5, profile: person)] }), profile: "breathesafe",
            route: "measurement",
            answering: { request, response in
                if request.path == "/managed_users" { bodies.withLock { $0.append(response) } }
                return response
            })
        try station.keepResources()
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()
        try await station.event("rosterChanged")
        let first = bodies.withLock { $0.first }
        let response = try #require(first)
        let row = #"["5","Anna Example","anna example",1,5,"Anna","Example",0]"#
        let tag = try #require(response.headers[.eTag])
        let quoted = tag.replacing("\"", with: "\\\"")
        let texts = [
            "Anna Example", "anna example", "Anna", "Example", "5", tag, row, "[\(row)]", #"{"etag":"\#(quoted)","rows":[\#(row)]}"#,
        ]
        let salts = ["breathesafe", "1", "managed_users", "roster\nbreathesafe\n1\nmanaged_users\n1\n1"]
        let guesser = Guesser(texts.map { Data($0.utf8) } + [Data(response.body)], salts: salts.map { Data($0.utf8) })
        #expect(guesser.leaks(in: try await Canary.places(station, log, isRunning: true)) == [])
        try await station.end(SIGKILL)
        #expect(guesser.leaks(in: try await Canary.places(station, log, isRunning: false)) == [])
        // The control: an unkeyed digest of the name confirms the guess.
        let digest = LedgerEntry.digest(of: Array("Anna Example".utf8))
        #expect(guesser.confirmed(by: Data("x \(digest)".utf8)) == ["Anna Example"])
    }
}
