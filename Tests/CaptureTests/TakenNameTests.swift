import SyncModel
import TestSupport
import Testing

@testable import Capture

@Suite struct TakenNameTests {
    @Test(arguments: [
        "a.json", "measurements_5_1765000001.json", "~", "~~~~.json", "a~b~c.json", "%2F%7E.json", "100%.json", "Gesicht grün.json",
        "測定.json",
        "a b\nc\t.json", "..json", "-rf", "'; DROP TABLE entry; --.json", "e\u{301}.json", "\u{301}.json", "🙂.json",
    ])
    func anyNameComesBackAsItWas(original: String) throws {
        for account in ["1", "ann@lab.test", "a~b/c%2Fd", "ü", ""] {
            for folder in [nil, "5", "~", "a/b", "%2F", "naïve"] {
                let name = TakenName(id: Samples.id(1), backend: "lab-2_a", account: AccountID(account), folder: folder, original: original)
                #expect(!name.text.contains("/"))
                #expect(!name.text.hasPrefix("."))
                let back = try #require(TakenName(name.text))
                #expect(back == name)
                #expect(Array(back.original.utf8) == Array(original.utf8))
            }
        }
    }

    @Test(arguments: [String(repeating: "x", count: 245) + ".json", String(repeating: "測", count: 81) + ".json"])
    func aVeryLongNameKeepsItsEndAndFits(original: String) throws {
        #expect(original.utf8.count >= 248)
        let name = TakenName(id: Samples.id(1), backend: "breathesafe", account: "4711", folder: "1234567890", original: original)
        #expect(name.text.utf8.count <= 255)
        let back = try #require(TakenName(name.text))
        #expect(original.hasSuffix(back.original))
        #expect(back.original.hasSuffix(".json"))
        #expect(back.original.utf8.count > 90)
        #expect(back.backend == "breathesafe")
        #expect(back.account == "4711")
        #expect(back.folder == "1234567890")
    }

    @Test func aSingleCharacterOfAnyLengthLeavesSomething() throws {
        let original = "e" + String(repeating: "\u{301}", count: 120)
        let name = TakenName(id: Samples.id(1), backend: "b", account: "1", folder: nil, original: original)
        #expect(original.count == 1)
        #expect(try #require(TakenName(name.text)).original.utf8.count == 100)
    }

    @Test(arguments: [
        "", "a.json", "~~~~", "00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000001~b~1~5",
        "not-an-id~b~1~5~a.json", "00000000-0000-7000-8000-000000000001~b~%zz~~a.json",
        // Without a backend, and with an original that no file is called.
        "00000000-0000-7000-8000-000000000001~1~5~a.json", "00000000-0000-7000-8000-000000000001~b~1~5~",
        "00000000-0000-7000-8000-000000000001~b~1~5~.", "00000000-0000-7000-8000-000000000001~b~1~5~..",
    ])
    func whatTheDaemonDidNotNameIsNil(text: String) { #expect(TakenName(text) == nil) }
}
