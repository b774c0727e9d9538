import ControlAPI
import SyncModel
import Testing

@testable import homing

@Suite struct WordsTests {
    @Test(arguments: [(0, "no entries"), (1, "1 entry"), (2, "2 entries"), (1000, "1000 entries")])
    func oneIsSingular(number: Int, text: String) { #expect(Words.entries(number) == text) }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (10_000, "10,000"), (1_234_567, "1,234,567")])
    func largeNumbersAreGrouped(number: Int, text: String) { #expect(Words.number(number) == text) }

    @Test(arguments: [
        (0, "no bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (17_449, "17.4 kB"), (17_450, "17.5 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (1_250_000, "1.3 MB"), (999_949_999, "999.9 MB"), (999_950_000, "1.0 GB"),
    ])
    func sizesAreInThousands(bytes: Int, text: String) { #expect(Words.size(bytes) == text) }

    @Test(arguments: [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
    func listsEndWithAnd(items: [String], text: String) { #expect(items.inWords == text) }

    @Test(arguments: [(["a", "b"], "a and b"), (["a", "b", "c"], "a, b and 1 more"), (["a", "b", "c", "d"], "a, b and 2 more")])
    func longListsAreCut(items: [String], text: String) { #expect(items.inWords(atMost: 2) == text) }

    @Test func eachVerdictHasItsOwnWords() {
        let words = Verdict.Name.allCases.map { Words.verdict($0.rawValue) }
        #expect(Set(words).count == words.count && Words.verdict("accepted") == "delivered" && Words.verdict("locked") == "locked for now")
        #expect(Words.verdict("of a newer daemon") == "of a newer daemon")
    }

    @Test func replacesControlCharactersInServerText() {
        #expect("no\u{1B}[2Jgood\r\nend\u{9B}x".printable == "no [2Jgood  end x")
        #expect("a\u{2028}b\u{2029}c".printable == "a b c")
    }

    @Test func replacesTextDirectionCharacters() {
        #expect("a\u{202E}nosj.exe".printable == "a\u{FFFD}nosj.exe")
        #expect("\u{2066}a\u{2069}\u{200F}".printable == "\u{FFFD}a\u{FFFD}\u{FFFD}")
        #expect("naïve 👩‍👩‍👧 日本".printable == "naïve 👩‍👩‍👧 日本")
    }

    @Test(arguments: [("short", "short"), ("exactly 10", "exactly 10"), ("longer than 10", "longer th…")])
    func longTextIsCut(text: String, expected: String) { #expect(text.cut(toColumns: 10) == expected) }

    @Test func textIsBrokenAtSpaces() {
        #expect("one two three incomprehensibilities four".wrapped(toColumns: 10) == ["one two", "three", "incomprehensibilities", "four"])
        #expect("run ‘homing list --all’, then".wrapped(toColumns: 10) == ["run", "‘homing list --all’,", "then"])
        #expect("To list it, run: homing list --all".wrapped(toColumns: 12) == ["To list it,", "run: homing list --all"])
        #expect("sudo install KEYFILE".wrapped(toColumns: 10) == ["sudo install KEYFILE"])
        #expect("Homing runs on".wrapped(toColumns: 10) == ["Homing", "runs on"])
        #expect("else’s ‘no end".wrapped(toColumns: 7) == ["else’s", "‘no end"])
    }
}
