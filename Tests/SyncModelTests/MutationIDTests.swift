import Foundation
import SyncModel
import Testing

@Suite struct MutationIDTests {
    private struct Constant: RandomNumberGenerator {
        let word: UInt64
        mutating func next() -> UInt64 { word }
    }

    private static func minted(_ seconds: TimeInterval, word: UInt64) -> MutationID {
        var generator = Constant(word: word)
        return MutationID(at: Date(timeIntervalSince1970: seconds), using: &generator)
    }

    @Test(arguments: [
        // The time of RFC 9562 A.6: 017F22E2-79B0-7….
        (1_645_557_742.0, UInt64.min, "017f22e2-79b0-7000-8000-000000000000"),
        (1_645_557_742.0, UInt64.max, "017f22e2-79b0-7fff-bfff-ffffffffffff"),
        (0, UInt64.min, "00000000-0000-7000-8000-000000000000"),
        (-5, UInt64.min, "00000000-0000-7000-8000-000000000000"),
    ])
    func containsMillisecondVersionAndVariant(seconds: TimeInterval, word: UInt64, text: String) {
        #expect(Self.minted(seconds, word: word).description == text)
    }

    @Test func sortsByMillisecondBeforeRandomBits() {
        let ids = (0..<200).map { Self.minted(1_765_000_000 + Double($0) / 100, word: $0 % 2 == 0 ? .max : .min) }
        #expect(ids == ids.sorted())
        // The control: within a millisecond, ids sort by their random bits.
        #expect(Self.minted(1_765_000_000, word: .max) > Self.minted(1_765_000_000, word: .min))
    }

    @Test func idsOfOneMillisecondDiffer() {
        var generator = SystemRandomNumberGenerator()
        let now = Date(timeIntervalSince1970: 1_765_000_000)
        #expect(Set((0..<1000).map { _ in MutationID(at: now, using: &generator) }).count == 1000)
    }

    /// This also holds after a counter overflow, and after the clock is set back.
    @Test(arguments: [UInt64.min, .max]) func mintedIDsAlwaysGrow(word: UInt64) {
        var generator = Constant(word: word)
        var mint = MutationIDMint()
        let times: [TimeInterval] = Array(repeating: 1_765_000_000, count: 10_000) + [1_764_000_000, 1_765_000_000, 1_766_000_000]
        let ids = times.map { mint.next(at: Date(timeIntervalSince1970: $0), using: &generator) }
        #expect(ids.count == times.count)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ids.last?.description.hasPrefix("019b2dcd-7c00-7") == true, "\(ids.last?.description ?? "")")
        #expect(ids.allSatisfy { UUID(uuidString: $0.description) != nil && $0.description.dropFirst(14).hasPrefix("7") })
    }

    @Test func ignoresCaseOfTheID() throws {
        let upper = try #require(MutationID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"))
        #expect(upper == MutationID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"))
        #expect(upper.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test(arguments: [
        "", "7", "017F22E279B07CC398C4DC0C0C07398F", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", " 017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n",
        // 36 bytes: hyphens in wrong places, digits in theirs, and the neighbours of the digits.
        "017f22e-279b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c0-398f", "017f22e2079b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c40dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é", "/17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        ":17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "@17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "G17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "`17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ])
    func refusesTextThatIsNoUUID(text: String) { #expect(MutationID(text) == nil) }

    @Test func encodesAsText() throws {
        let id = Self.minted(1_645_557_742, word: 0)
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == #"["017f22e2-79b0-7000-8000-000000000000"]"#)
        #expect(try JSONDecoder().decode([MutationID].self, from: json) == [id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([MutationID].self, from: Data(#"["seven"]"#.utf8)) }
    }

    @Test func mintedIDsContinueAfterAnEarlierRun() throws {
        var generator = SystemRandomNumberGenerator()
        var (earlier, mint) = (MutationIDMint(), MutationIDMint())
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let last = earlier.next(at: now, using: &generator)
        mint.goOn(behind: last)
        let next = mint.next(at: now.addingTimeInterval(-86_400), using: &generator)
        #expect(next > last)
        #expect(mint.next(at: now.addingTimeInterval(-86_400), using: &generator) > next)
        // Implausible times are ignored, because anyone can make them up.
        mint.goOn(behind: try #require(MutationID("ffffffff-ffff-7fff-bfff-ffffffffffff")))
        #expect(mint.next(at: now.addingTimeInterval(1), using: &generator).description.hasPrefix("018bcfe5"))
    }
}
