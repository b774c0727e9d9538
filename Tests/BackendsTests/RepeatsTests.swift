import Foundation
import SyncModel
import Testing

@testable import Backends

/// `repeats`: a success that is about something else than the entry says is no delivery.
struct RepeatsTests {
    private static let fields: [String: JSONValue] = ["list_id": 5, "title": "Bread", "due_at": "2026-12-01T12:00:00Z"]

    private func verdict(_ name: String, _ body: String) throws -> Verdict {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == name })
        return backend.verdict(on: answer(201, body), to: mutation("create_task", fields: Self.fields, payload: nil), at: noon)
    }

    @Test(arguments: [
        ("lists", #"{"id":101,"list_id":5}"#), ("lists", #"{"id":101,"list_id":"5"}"#), ("lists-2026", #"{"task":{"id":101,"list_id":5}}"#),
    ])
    func taskInItsListIsDelivered(name: String, body: String) throws {
        guard case .accepted(let receipt) = try verdict(name, body) else {
            Issue.record("not accepted")
            return
        }
        #expect(receipt.remoteID == "101")
    }

    @Test(arguments: [("lists", #"{"id":101,"list_id":3}"#), ("lists-2026", #"{"task":{"id":101,"list_id":3}}"#)])
    func taskInAnotherListIsHeldAndNotSentAgain(name: String, body: String) throws {
        guard case .unknown(let failure) = try verdict(name, body) else {
            Issue.record("not unknown")
            return
        }
        #expect(failure.reason == .misplaced && failure.outcomeUnknown && failure.status == 201)
        #expect(failure.message.contains(" created it as 101, but with 3 at "), "\(failure.message)")
        #expect(failure.message.hasSuffix(" instead of 5."), "\(failure.message)")
    }

    @Test func missingValueProvesNothing() throws {
        guard case .unknown(let failure) = try verdict("lists", #"{"id":101}"#) else {
            Issue.record("not unknown")
            return
        }
        #expect(failure.reason == .refused && failure.message.contains("without /list_id"))
    }

    @Test func newListIsFoundWrappedOrNot() throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == "lists-2026" })
        for body in [#"{"list":{"id":7}}"#, #"{"id":7}"#] {
            let verdict = backend.verdict(
                on: answer(201, body), to: mutation("create_list", fields: ["name": "Bread"], payload: nil), at: noon)
            #expect(verdict == .accepted(Receipt(remoteID: "7", status: 201, at: noon)))
        }
    }

    @Test(arguments: [
        ("{}", "repeats", "at least one value"), (#"{id: "{item.user_id}"}"#, "repeats.id", "a JSON pointer"),
        (#"{/id: "5"}"#, "repeats./id", "placeholders"), (#"{/id: "{item.note?}"}"#, "repeats./id", "without a question mark"),
    ])
    func mistakeNamesItsKey(repeats: String, key: String, expected: String) throws {
        let found = try mistakes(edited("    promises: /profile\n", "    promises: /profile\n    repeats: \(repeats)\n"))
        #expect(found.map(\.key) == ["routes.profile.\(key)"], "\(found)")
        #expect(found.first?.expected.contains(expected) == true, "\(found)")
    }
}
