import SyncModel
import Testing

struct RosterRowTests {
    @Test(arguments: [
        ("Anna Example", "anna example"), ("ZOË Quiroga", "zoe quiroga"), ("Zoe\u{308}", "zoe"), ("Ａｎｎａ", "anna"),
        (" Anna\t\n  Example ", "anna example"),
        ("Sean O\u{2019}Neil", "sean o'neil"), ("Sean O'Neil", "sean o'neil"), ("O`\u{2018}\u{2BC}\u{B4}\u{2032}\u{FF07}", "o''''''"),
        ("28", "28"), ("", ""), ("日本", "日本"),
    ])
    func foldsForComparison(text: String, folded: String) { #expect(text.folded == folded) }

    @Test func idsAreComparedByBytes() {
        #expect(RosterID("Zo\u{eb}") != RosterID("Zoe\u{308}"))
        #expect(RosterID("10") < RosterID("9"))
    }

    @Test func referenceIsAnAtSignAndAnIdInLowerCase() throws {
        let id = try #require(MutationID("0198C0DE-0000-7000-8000-00000000000A"))
        let reference = RosterID(createdBy: id)
        #expect(reference.rawValue == "@0198c0de-0000-7000-8000-00000000000a" && reference.reference == id)
        for text in ["5", "", "@", "@5", id.description, "@\(id) ", "@@\(id)", "@\(id.description.uppercased())", "@\u{301}\(id)"] {
            #expect(RosterID(text).reference == nil, "\(text)")
        }
    }
}
