import ControlAPI
import Foundation
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Entries are only sent under the account that captured them. See WhoseSession.
@Suite struct OtherAccountTests {
    /// Ann is 1, Bob is 2. Responses that match `swapping` set Bob's cookie.
    private static func server(_ swapping: @escaping @Sendable (ScriptedServer.Request) -> Bool) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            let swap = swapping(request) ? ["s=bob; path=/"] : []
            let id = request.cookie("s") == "bob" ? 2 : request.cookie("s") == "ann" ? 1 : nil
            switch request.line {
            case "POST /login": return .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=ann; path=/"])
            case "GET /me": return .init(200, #"{"id":\#(id.map(String.init) ?? "null")}"#, cookies: swap)
            case "GET /csrf": return .init(200, #"{"token":"t"}"#, cookies: swap)
            case "POST /notes" where id != nil: return .init(201, #"{"id":7}"#, cookies: swap)
            default: return .init(401, #"{"error":"signed out"}"#)
            }
        }
    }

    @Test func sendsNothingAfterCSRFResponseSwapsTheAccount() async throws {
        let station = try WireStation(try await Self.server { $0.line == "GET /csrf" })
        try await station.running(WireProfile.csrf) {
            _ = try await station.signIn()
            for id in 1...5 { try await station.submit(id) }
            try await until { try await station.session.state == "signInRequired" }
            #expect(station.server.count("POST /notes") == 0)
            #expect(try await station.session.reason?.hasPrefix("the server answered as another account") == true)
            #expect(try await station.backend.queue.pending == 5)
            #expect(try await station.status.attention.contains { $0.code == "sign-in-required" && $0.text.contains("another account") })
        }
        await station.server.stop()
    }

    @Test func detectsSwappedAccountWithinAMinuteAndMarksReceipts() async throws {
        let station = try WireStation(try await Self.server { $0.line == "POST /notes" })
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            for id in 1...2 { try await station.submit(id) }
            try await station.client.event("delivered", count: 2)
            station.clock.advance(by: 61)
            try await station.submit(3)
            try await until { try await station.session.state == "signInRequired" }
            #expect(station.server.count("POST /notes") == 2)
            #expect(try await station.client.event("unverified")?.detail["receipts"] == "2")
            let receipts = try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts
            #expect(receipts.map(\.unverified) == [true, true])
        }
        await station.server.stop()
    }

    @Test func detectsSwappedAccountWithoutFurtherSends() async throws {
        let station = try WireStation(try await Self.server { $0.line == "POST /notes" })
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            try await station.submit(1)
            try await station.client.event("delivered")
            // The daemon may not have started its timer yet.
            try await until {
                station.clock.advance(by: 61)
                return try await station.session.state == "signInRequired"
            }
            try await station.client.event("unverified")
            let receipt = try await station.client.call(Endpoints.receipt, EntryReference(id: Samples.id(1).description))
            #expect(receipt.unverified == true)
        }
        await station.server.stop()
    }

    @Test func checksTheAccountOncePerMinute() async throws {
        let station = try WireStation(try await Self.server { _ in false })
        try await station.running(WireProfile.cookies) {
            _ = try await station.signIn()
            let asked = station.server.count("GET /me")
            for id in 1...20 { try await station.submit(id) }
            try await station.client.event("delivered", count: 20)
            #expect(station.server.count("GET /me") == asked)
            station.clock.advance(by: 61)
            for id in 21...40 { try await station.submit(id) }
            try await station.client.event("delivered", count: 40)
            #expect(station.server.count("GET /me") == asked + 1)
        }
        await station.server.stop()
    }

    @Test func checksTheAccountBeforeTheFirstEntry() async throws {
        let swapped = Mutex(false)
        let server = try await ScriptedServer { request in
            switch request.line {
            case "POST /login": .init(201, #"{"id":1,"email":"ann@lab.test"}"#, cookies: ["s=ann; path=/"])
            case "GET /me": .init(200, swapped.withLock { $0 } ? #"{"id":2}"# : #"{"id":1}"#)
            default: .init(201, #"{"id":7}"#)
            }
        }
        let station = try WireStation(server)
        try await station.running(WireProfile.cookies) { _ = try await station.signIn() }
        swapped.withLock { $0 = true }
        try await station.running(WireProfile.cookies) {
            try await station.submit(1)
            try await until { try await station.session.state == "signInRequired" }
        }
        #expect(server.count("POST /notes") == 0)
        await server.stop()
    }

    /// Numbers that map to the same double, and strings that Swift considers equal.
    @Test(arguments: [("18446744073709551615", "18446744073709551616"), (#""jos\u00e9""#, #""jose\u0301""#)])
    func distinguishesAccountIDsThatDifferInOneByte(ids: (String, String)) async throws {
        let isDown = Mutex(true)
        let server = try await ScriptedServer { request in
            let isAnn = request.body.contains("ann@lab.test")
            switch request.line {
            case "POST /login": return .init(201, #"{"id":\#(isAnn ? ids.0 : ids.1),"access":"\#(isAnn ? "ann" : "bob")"}"#)
            case "POST /notes" where !isDown.withLock { $0 }: return .init(201, #"{"id":7}"#)
            default: return .init(503, "{}")
            }
        }
        let station = try WireStation(server)
        try await station.running(WireProfile.tokens) {
            let ann = try await station.signIn("ann@lab.test").account
            try await station.submit(1)
            try await station.signOut()
            let bob = try await station.signIn("bob@lab.test").account
            #expect(ann.map { Array($0.utf8) } != bob.map { Array($0.utf8) })
            isDown.withLock { $0 = false }
            try await station.submit(2)
            try await station.passTime { try await station.delivered() == 1 }
            #expect(try await station.backend.otherAccounts.map(\.waiting) == [1])
            #expect(
                server.requests.filter { $0.line == "POST /notes" && $0.header("Authorization") == "Bearer bob" }.map(\.body) == [
                    #"{"note":2}"#
                ])
            try await station.signOut()
            _ = try await station.signIn("ann@lab.test")
            try await station.passTime { try await station.delivered() == 2 }
        }
        await server.stop()
    }
}
