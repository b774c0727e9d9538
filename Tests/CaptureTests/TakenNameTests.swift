import SyncModel
import TestSupport
import Testing

@testable import Capture

@Suite struct TakenNameTests {
    private static let owner = OwnerKey(Destination(backend: "lab-2_a", account: "ann@lab.test"))

    @Test(arguments: [
        "a.json", "measurements_5_1765000001.json", "~", "~~~~.json", "a~b~c.json", "%2F%7E.json", "100%.json", "Gesicht grün.json",
        "測定.json",
        "a b\nc\t.json", "..json", "-rf", "'; DROP TABLE entry; --.json", "e\u{301}.json", "\u{301}.json", "🙂.json",
    ])
    func roundTripsAnyName(original: String) throws {
        for owner in [Self.owner, nil] {
            for folder in [nil, "5", "~", "a/b", "%2F", "naïve"] {
                let name = TakenName(id: Samples.id(1), owner: owner, folder: folder, original: original)
                #expect(!name.text.contains("/"))
                #expect(!name.text.hasPrefix("."))
                let back = try #require(TakenName(name.text))
                #expect(back == name)
                #expect(Array(back.original.utf8) == Array(original.utf8))
            }
        }
    }

    @Test(arguments: [String(repeating: "x", count: 245) + ".json", String(repeating: "測", count: 81) + ".json"])
    func truncatesLongNameAndKeepsItsEnd(original: String) throws {
        #expect(original.utf8.count >= 248)
        let name = TakenName(id: Samples.id(1), owner: Self.owner, folder: "1234567890", original: original)
        #expect(name.text.utf8.count <= 255)
        let back = try #require(TakenName(name.text))
        #expect(original.hasSuffix(back.original))
        #expect(back.original.hasSuffix(".json"))
        #expect(back.original.utf8.count > 90)
        #expect(back.owner == Self.owner)
        #expect(back.folder == "1234567890")
    }

    @Test func truncatesSingleLongCharacter() throws {
        let original = "e" + String(repeating: "\u{301}", count: 120)
        let name = TakenName(id: Samples.id(1), owner: nil, folder: nil, original: original)
        #expect(original.count == 1)
        #expect(try #require(TakenName(name.text)).original.utf8.count == 100)
    }

    @Test(arguments: [
        "", "a.json", "~~~", "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000001~~5",
        "not-an-id~~5~a.json", "00000000-0000-7000-8000-000000000001~~%zz~a.json",
        // These have an invalid owner key or an impossible original name.
        "00000000-0000-7000-8000-000000000001~ann~5~a.json", "00000000-0000-7000-8000-000000000001~0123456789ABCDEF0123456789ABCDEF~5~a",
        "00000000-0000-7000-8000-000000000001~~5~", "00000000-0000-7000-8000-000000000001~~5~.",
        "00000000-0000-7000-8000-000000000001~~5~..",
    ])
    func isNilForForeignNames(text: String) { #expect(TakenName(text) == nil) }

    @Test func keysDifferForSimilarAccounts() {
        let owners = [
            ("lab", "a"), ("lab", "b"), ("la", "ba"), ("lab", "é"), ("lab", "e\u{301}"), ("lab", String(repeating: "a", count: 200)),
            ("lab", String(repeating: "a", count: 200) + "b"),
        ].map { Destination(backend: $0.0, account: AccountID($0.1)) }
        #expect(Set(owners.map(OwnerKey.init)).count == owners.count)
        for owner in owners { #expect(Destination(written: owner.written, for: OwnerKey(owner)) == owner) }
        #expect(Destination(written: owners[0].written, for: OwnerKey(owners[1])) == nil)
    }
}
