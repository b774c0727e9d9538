import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// One change at the server. The payloads of these tests contain the number of their entry; a created person has none.
struct Arrival: Equatable {
    enum Kind { case create, measurement, profile, fitTest, other }

    let kind: Kind
    let number: Int?
    let user: Int?

    static func profile(_ number: Int) -> String { #"{"first_name":"Person","last_name":"Number \#(number)"}"# }
    static func fitTest(_ number: Int) -> String { #"{"mask_id":1,"notes":"entry \#(number)"}"# }

    /// The digest in the ledger of an object with these texts.
    static func digest(_ members: JSONObject) -> String { LedgerEntry.digest(of: JSON.object(members).bytes) }

    /// The number of each payload, by its digest.
    private static let numbers: [String: Int] = {
        var numbers: [String: Int] = [:]
        for number in 1...5000 {
            numbers[digest(["first_name": "Person", "last_name": .string("Number \(number)")])] = number
            numbers[digest(["mask_id": 1, "notes": .string("entry \(number)")])] = number
        }
        return numbers
    }()

    /// The number in an id of `Samples`; nil for any other id.
    static func number(_ id: String?) -> Int? {
        guard let id, let number = Int(id.suffix(12)), Samples.id(number).description == id else { return nil }
        return number
    }
}

extension Arrival {
    init(_ entry: LedgerEntry) {
        user = entry.user
        switch (entry.method, entry.path) {
        case ("POST", "/managed_users"): (kind, number) = (.create, nil)
        case ("POST", "/fit_tests"): (kind, number) = (.fitTest, Self.numbers[entry.digest])
        case ("PUT", let path) where path.hasSuffix("/profile"): (kind, number) = (.profile, Self.numbers[entry.digest])
        case ("POST", let path) where path.hasSuffix("/facial_measurements_from_arkit"):
            (kind, number) = (.measurement, Self.number(entry.clientMutationID))
        default: (kind, number) = (.other, nil)
        }
    }
}

extension Ledger {
    /// In order of commit.
    var arrivals: [Arrival] { entries.map { Arrival($0) } }

    /// The created people, in order.
    var created: [Int] { arrivals.filter { $0.kind == .create }.compactMap(\.user) }

    /// The place of an entry's first effect in `arrivals`.
    func place(of number: Int) -> Int? { arrivals.firstIndex { $0.number == number } }

    /// The paths after `/users/` whose user is none of these.
    func paths(outside users: [Int], from first: Int = 0) -> [String] {
        requests.dropFirst(first).map(\.path).filter { path in
            let words = path.split(separator: "/").map(String.init)
            guard words.count > 2, words[0] == "users" else { return false }
            return !users.map(String.init).contains(words[1])
        }
    }
}

extension TestStation {
    /// Signed in as the manager, with the list: 7 is Anna Example, 5 is Eve Lab and 9 is Zoë Quiroga.
    static func signedInWithPeople() async throws -> TestStation {
        let station = try await people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        return station
    }

    static func reference(to create: Int) -> String { "@\(Samples.id(create))" }

    @discardableResult
    func submit(_ route: String, _ number: Int, user: String? = nil, _ payload: String? = nil) async throws -> SubmissionReceipt {
        try await client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: route, id: Samples.id(number).description, fields: user.map { ["user_id": $0] } ?? [:],
                payload: payload.map { Data($0.utf8) }))
    }

    /// Accepts an entry that creates a person.
    @discardableResult
    func create(_ number: Int) async throws -> SubmissionReceipt { try await submit("create_managed_user", number) }

    @discardableResult
    func measure(_ user: String, _ number: Int) async throws -> SubmissionReceipt {
        try await submit("measurement", number, user: user, String(decoding: Self.measurement(number), as: UTF8.self))
    }

    @discardableResult
    func nameUser(_ user: String, _ number: Int) async throws -> SubmissionReceipt {
        try await submit("profile", number, user: user, Arrival.profile(number))
    }

    @discardableResult
    func testFit(_ user: String, _ number: Int) async throws -> SubmissionReceipt {
        try await submit("fit_test", number, user: user, Arrival.fitTest(number))
    }

    func why(_ number: Int) async throws -> Explanation {
        try await client.call(Endpoints.why, EntryReference(id: Samples.id(number).description))
    }

    func receipt(_ number: Int) async throws -> ReceiptReport {
        try await client.call(Endpoints.receipt, EntryReference(id: Samples.id(number).description))
    }

    func retry(_ number: Int) async throws {
        _ = try await client.call(Endpoints.retry, RetryRequest(id: Samples.id(number).description))
    }

    func pauseSending() async throws { _ = try await client.call(Endpoints.pause, PauseRequest(reason: "to gather")) }
    func resumeSending() async throws { _ = try await client.call(Endpoints.resume, ResumeRequest()) }

    /// Waits for a state that only a person or a create changes; throws for another such state.
    @discardableResult
    func settled(_ number: Int, as state: String) async throws -> EntrySummary {
        try await firstValue {
            let entry = try await self.entry(number)
            if entry.state == state { return entry }
            guard ["pending", "inflight"].contains(entry.state) else {
                throw StationError(
                    "entry \(number) is \(entry.state) (\(entry.holdReason ?? entry.lastError ?? "no reason")), not \(state)")
            }
            return nil
        }
    }

    func allSettled(_ numbers: some Sequence<Int>, as state: String = "delivered") async throws {
        for number in numbers { try await settled(number, as: state) }
    }
}
