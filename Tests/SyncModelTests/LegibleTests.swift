import SyncModel
import Testing

@Suite struct LegibleTests {
    @Test(arguments: [
        ("a.json", "a.json"), ("naïve ✓ 日本 👩‍👩‍👧", "naïve ✓ 日本 👩‍👩‍👧"), ("a\nb", "a\\u{A}b"), ("\r\n", "\\u{D}\\u{A}"),
        ("\u{1b}[2J", "\\u{1B}[2J"), ("a\u{9b}b", "a\\u{9B}b"), ("a\u{202e}nosj.exe", "a\\u{202E}nosj.exe"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ("a\u{2028}b", "a\\u{2028}b"), ("\0", "\\u{0}"), ("", ""),
    ])
    func escapesOnlyControlCharacters(text: String, shown: String) { #expect(text.legible == shown) }

    @Test(arguments: ["", " ", "\t\n", "\u{a0}", "\u{200b}", "\u{feff} \u{2060}", "\u{3164}", "\u{0}"])
    func textWithoutVisibleCharacterIsInvisible(text: String) { #expect(text.isInvisible) }

    @Test(arguments: ["a", " a ", "\u{200b}é", "日", "."])
    func textWithVisibleCharacterIsNotInvisible(text: String) { #expect(!text.isInvisible) }
}
