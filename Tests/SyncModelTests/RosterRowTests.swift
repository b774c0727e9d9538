import SyncModel
import Testing

struct RosterRowTests {
    @Test(arguments: [
        ("Anna Example", "anna example"), ("ZOË Quiroga", "zoe quiroga"), ("Zoe\u{308}", "zoe"), ("Ａｎｎａ", "anna"),
        (" Anna\t\n  Example ", "anna example"),
        ("28", "28"), ("", ""), ("日本", "日本"),
    ])
    func foldsForComparison(text: String, folded: String) { #expect(text.folded == folded) }

    @Test func idsAreComparedByBytes() {
        #expect(RosterID("Zo\u{eb}") != RosterID("Zoe\u{308}"))
        #expect(RosterID("10") < RosterID("9"))
    }
}
