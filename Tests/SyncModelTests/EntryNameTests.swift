import SyncModel
import TestSupport
import Testing

@Suite struct EntryNameTests {
    private static let id = "0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b0c"

    @Test(arguments: [id, id.uppercased()]) func readsAFullID(text: String) {
        #expect(EntryName(text)?.id?.description == Self.id)
        #expect(EntryName(text)?.number == nil && EntryName(text)?.part == nil)
    }

    @Test(
        arguments: [
            ("12", 12, nil), ("#12", 12, nil), ("#1200", 1200, nil), ("1200", 1200, "1200"),
            ("123456789012345678", 123_456_789_012_345_678, "123456789012345678"), ("99999999999999999999", nil, "99999999999999999999"),
            ("0012", nil, "0012"), ("4fb0", nil, "4fb0"), ("3F2A91C04B0C", nil, "3f2a91c04b0c"), ("0190a1b2-c3", nil, "0190a1b2-c3"),
            (String(id.dropFirst()), nil, String(id.dropFirst())),
        ] as [(String, Int64?, String?)])
    func readsANumberAndAPart(text: String, number: Int64?, part: String?) throws {
        let name = try #require(EntryName(text))
        #expect(name.number == number && name.part == part && name.id == nil)
    }

    @Test(arguments: ["", "#", "#0", "0", "-1", "+12", "abc", "12-", "last", "1 2", "#4fb0", "٣٤", "12\n", id + "0", "{\(id)}"])
    func refusesAnythingElse(text: String) { #expect(EntryName(text) == nil) }

    @Test func readsTheShortIDOfLists() {
        #expect(EntryName.short(Self.id) == "3f2a91c04b0c")
        #expect(EntryName(EntryName.short(Self.id))?.part == "3f2a91c04b0c")
    }

    @Test(arguments: [
        (id, "the id \(id)"), ("#12", "the number 12"), ("4fb0", "an id that begins or ends with ‘4fb0’"),
        ("1200", "the number 1200 or an id that begins or ends with ‘1200’"),
    ])
    func isDescribedInASentence(text: String, words: String) { #expect(EntryName(text)?.description == words) }
}
