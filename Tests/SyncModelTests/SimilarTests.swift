import Testing

@testable import SyncModel

@Suite struct SimilarTests {
    @Test(arguments: [
        ("lookup_afer", ["lookup_after"]), ("attempt", ["attempts"]), ("first", ["first_delay", "first_pause"]), ("no_such_key", []),
        ("x", []),
    ])
    func findsTheClosestWords(word: String, closest: [String]) {
        #expect(word.similar(among: ["lookup_after", "attempts", "first_delay", "first_pause", "in_flight"]) == closest)
    }

    @Test(arguments: [
        ("", "", 0), ("status", "status", 0), ("stauts", "status", 1), ("lst", "list", 1), ("", "abc", 3), ("abc", "", 3),
        ("kitten", "sitting", 3), ("é王", "王é", 1),
    ])
    func countsEdits(a: String, b: String, distance: Int) { #expect(a.distance(to: b) == distance && b.distance(to: a) == distance) }
}
