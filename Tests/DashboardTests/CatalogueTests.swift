import ControlAPI
import Foundation
import SyncModel
import Testing

@testable import Dashboard

@Suite struct CatalogueTests {
    private func plain(_ keys: Set<String>) -> Set<String> { Set(keys.map { $0.replacing(/\[.*/, with: "") }) }

    @Test func languagesHaveTheSameTexts() {
        // English comes from `Words` and from the daemon.
        let ownWords = ["state", "kind", "hold", "verdict", "refusal", "unit", "why", "need", "stuck", "cause", "told", "list", "problem"]
        let vietnamese = plain(Catalogue.vietnamese.keys).filter { key in !ownWords.contains { key.hasPrefix("\($0).") } }
        let english = plain(Catalogue.english.keys).filter { key in !ownWords.contains { key.hasPrefix("\($0).") } }
        #expect(vietnamese == english)
    }

    @Test func translatesTheVocabulary() {
        let words = Catalogue.vietnamese
        for state in Entry.State.allCases { #expect(words.known("state.\(state.rawValue)") != nil, "\(state)") }
        for kind in RosterTitle.Kind.allCases where kind != .unknown { #expect(words.known("kind.\(kind.rawValue)") != nil, "\(kind)") }
        for reason in HoldReason.allCases { #expect(words.known("hold.\(reason.rawValue)") != nil, "\(reason)") }
        for verdict in Verdict.Name.allCases { #expect(words.known("verdict.\(verdict.rawValue)") != nil, "\(verdict)") }
        for reason in ["refused", "forbidden", "serverError", "lostAnswer", "misplaced", "profile"] {
            #expect(words.refusal(reason) != Words.refusal(reason), "\(reason)")
        }
        for code in Attention.Code.allCases where code != .unknown {
            for words in Catalogue.all { #expect(words.known("attention.\(code.rawValue)") != nil, "\(code)") }
        }
    }

    @Test func translatesTheSentencesOfTheDaemon() {
        let words = Catalogue.vietnamese
        for cause in Explanation.Cause.allCases where cause != .unknown { #expect(words.known("why.\(cause.rawValue)") != nil, "\(cause)") }
        for code in Attention.Code.allCases where code != .unknown {
            #expect(words.known("need.\(code.rawValue)") != nil && words.known("need.\(code.rawValue).step") != nil, "\(code)")
        }
        for reason in Failure.Reason.allCases { #expect(words.known("cause.\(reason.rawValue)") != nil, "\(reason)") }
        for cause in SpoolReport.StuckFile.Cause.allCases where cause != .unknown {
            #expect(words.known("stuck.\(cause.rawValue)") != nil, "\(cause)")
        }
        for reason in RosterReport.Reason.allCases where reason != .unknown {
            #expect(words.known("list.\(reason.rawValue)") != nil, "\(reason)")
        }
        let variants = [
            "disk-full.\(Attention.nothingLeft)", "unclaimed-files.\(Attention.onHold)", "sign-in-required.\(Attention.ended)",
        ]
        for variant in variants {
            #expect(words.known("need.\(variant)") != nil, "\(variant)")
        }
    }

    /// As the contract has them.
    @Test func translatesTheCodesOfProblems() throws {
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: project.appending(path: "Sources/ControlAPI/Problem.swift"), encoding: .utf8)
        let codes = source.matches(of: /= Code\("([a-z-]+)"\)/).map { String($0.output.1) }
        #expect(codes.count > 20)
        for code in codes { #expect(Catalogue.vietnamese.known("problem.\(code)") != nil, "\(code)") }
    }

    /// With what to do next.
    @Test(arguments: Problem.Reason.allCases) func translatesTheReasonsOfProblems(reason: Problem.Reason) {
        let words = Catalogue.vietnamese
        let codes: [Problem.Code] = [.invalidRequest, .wrongState, .notListed, .notFound, .signInRequired]
        let keys = codes.map { "problem.\($0.rawValue).\(reason.rawValue)" }.filter { words.known($0) != nil }
        #expect(keys.count == 1 && keys.allSatisfy { words.known("\($0).step") != nil }, "\(reason)")
    }

    @Test func englishVocabularyIsThatOfTheCommandLine() {
        var entry = Sample().entry("dead")
        (entry.lastStatus, entry.attempts) = (503, 3)
        #expect(Catalogue.english.state(of: entry) == entry.stateWords && entry.stateWords == "failed after 3 attempts")
        #expect(Catalogue.vietnamese.state(of: entry) == "thất bại sau 3 lần thử")
        entry.lastStatus = 422
        #expect(Catalogue.vietnamese.state(of: entry) == "thất bại: bị từ chối")
        #expect(Catalogue.vietnamese.state(of: Sample().entry("held", hold: "forbidden")) == "giữ lại: không được phép")
    }

    /// English pages have the words of the command line.
    @Test func namesNewRowsAndWhatEntriesDo() {
        var entry = Sample().entry()
        entry.title = RosterTitle(one: "new person", many: "new people", kind: .new, word: "person")
        entry.subject = SubjectReport(resource: "people", field: "user_id", id: "@\(entry.id)", label: "Anna Example", isNew: true)
        entry.subject?.title = "person"
        #expect(Catalogue.vietnamese.name(entry) == "Thêm mới (person) · Anna Example (mới)")
        #expect(Catalogue.english.name(entry) == "New person Anna Example")
        entry.title = RosterTitle(one: "fit test", many: "fit tests")
        #expect(Catalogue.vietnamese.name(entry) == "Fit test · Anna Example (mới)")
        entry.title?.kind = "a-newer-kind"
        #expect(Catalogue.vietnamese.name(entry) == "Fit test · Anna Example (mới)")
    }

    @Test(
        arguments: [
            (1449, "1.4 s", "1,4 giây"), (60_000, "1 min", "1 phút"), (12_000_000, "3 h 20 min", "3 giờ 20 phút"),
            (97_200_000, "1 d 3 h", "1 ngày 3 giờ"),
        ] as [(Int64, String, String)]) func writesLengthsOfTime(ms: Int64, english: String, vietnamese: String)
    {
        #expect(Catalogue.english.length(ms) == english && Catalogue.vietnamese.length(ms) == vietnamese)
    }

    @Test func hasEachPluralFormOfTheLanguage() {
        for words in Catalogue.all {
            let plurals = words.keys.filter { $0.contains("[") }
            let forms = words.language == "en" ? ["one", "other"] : ["other"]
            #expect(plurals == Set(plain(plurals).flatMap { key in forms.map { "\(key)[\($0)]" } }))
        }
        #expect(
            Catalogue.english.count("entries.total", 1) == "1 entry" && Catalogue.english.count("entries.total", 5000) == "5,000 entries")
        #expect(
            Catalogue.vietnamese.count("entries.total", 1) == "1 mục" && Catalogue.vietnamese.count("entries.total", 5000) == "5.000 mục")
    }

    @Test func valuesAreNotFilledAgain() {
        #expect(Catalogue.english["sign.out.at", ["account": "{backend}", "backend": "b"]] == "Sign {backend} out of b")
    }

    @Test func prefersTheFirstKnownLanguage() {
        let headers: [(String?, String)] = [
            (nil, "en"), ("", "en"), ("de-DE,de;q=0.9", "en"), ("vi", "vi"), ("de,vi;q=0.5,en;q=0.3", "vi"), ("en;q=0.1,vi;q=0.2", "vi"),
            ("en,vi", "en"), ("VI-vn", "vi"), ("*;q=x, ;;,,", "en"),
            ("vi;q=0", "en"), ("de,vi;q=0.0", "en"), ("en;q=0,vi;q=0.1", "vi"),
        ]
        for (header, language) in headers { #expect(Catalogue.preferred(header).language == language, "\(header ?? "none")") }
    }

    @Test func noPageShowsAKey() async throws {
        for words in Catalogue.all {
            for page in try await Sample().pages(Sample.desk(words)) {
                let text = Sample.desk(words).document(page).source.replacing(/<[^>]*>/, with: "\n")
                for line in text.split(separator: "\n") {
                    #expect(line.firstMatch(of: /^[a-z]+(?:\.[a-z]+)+(?:\[|$)/) == nil && !line.contains("{"), "\(line)")
                }
            }
        }
    }
}
