import Foundation
import SyncModel
import Testing

@testable import Backends

struct RefusalReasonTests {
    private static let start = "      - {status: 404, words: \"BreatheSafe has no user {item.user_id}.\", fix: user_id}\n"

    private static func backend(_ reasons: String...) throws -> Backend {
        try breathesafe(start, reasons.map { "      - \($0)\n" }.joined())
    }

    private static func words(_ backend: Backend, _ status: Int?, _ message: String? = nil) -> String? {
        backend.reason(route: "measurement", status: status, message: message)?.sentence(fields: ["user_id": "77"], account: "ann@lab.test")
    }

    @Test func firstReasonThatFitsCounts() throws {
        let backend = try Self.backend(
            "{status: 409, message: Busy, words: one}", "{status: [409, 410], words: two}", "{message: [Gone *, Away.], words: three}",
            "{status: 404, words: four}")
        #expect(Self.words(backend, 409, "breathesafe answered: busy.") == "one")
        #expect(Self.words(backend, 409, "breathesafe answered: Busy") == "one")
        #expect(Self.words(backend, 409, "breathesafe answered: Very busy.") == "two")
        // Without the message, the first one may have been meant.
        #expect(Self.words(backend, 409) == nil)
        #expect(Self.words(backend, 410, "breathesafe answered: Gone for good.") == "two")
        #expect(Self.words(backend, 418, "breathesafe answered: Gone for good.") == "three")
        #expect(Self.words(backend, 418, "breathesafe answered: Away.") == "three")
        #expect(Self.words(backend, 404, "breathesafe answered: Not found.") == "four")
        #expect(Self.words(backend, 404) == nil)
    }

    @Test func neitherHomingsOwnWordsNorMissingAnswersFit() throws {
        let backend = try Self.backend("{message: The *, words: one}")
        #expect(Self.words(backend, 500, "breathesafe answered: The end.") == "one")
        #expect(Self.words(backend, 500, "The end.") == nil)
        #expect(Self.words(backend, nil, "breathesafe answered: The end.") == nil)
        #expect(Self.words(backend, 500) == nil)
        #expect(backend.reason(route: "no_such_route", status: 404, message: nil) == nil)
        #expect(backend.reason(route: "create_managed_user", status: 404, message: nil) == nil)
    }

    @Test func wordsTakeFieldsAndAccount() throws {
        let backend = try Self.backend(#"{status: 404, words: "{account} has no {item.user_id}, by Homing {version}."}"#)
        #expect(Self.words(backend, 404) == "ann@lab.test has no 77, by Homing 1.0.")
        let reason = try #require(backend.reason(route: "measurement", status: 404, message: nil))
        #expect(reason.sentence(fields: [:], account: "ann@lab.test") == nil)
        #expect(reason.fix == nil)
    }

    @Test func messageOfAVerdictFits() throws {
        let backend = try breathesafe()
        let refusals: [(String, Int, String, RefusalReason.Fix)] = [
            (#"{"facial_measurement":{},"messages":["Not managed by current user."]}"#, 422, "manages", .field("user_id")),
            (#"{"messages":["Arkit must be a hash"]}"#, 422, "does not accept the values", .payload),
            (#"{"status":404,"error":"Not Found"}"#, 404, "BreatheSafe has no user 77.", .field("user_id")),
            (#"{"status":400,"error":"Bad Request"}"#, 400, "could not read", .payload),
        ]
        for (body, status, words, fix) in refusals {
            let failure = try #require(backend.verdict(on: answer(status, body), to: mutation(), at: noon).failure)
            let reason = try #require(backend.reason(route: "measurement", status: failure.status, message: failure.message))
            #expect(reason.sentence(fields: ["user_id": "77"], account: "ann@lab.test")?.contains(words) == true)
            #expect(reason.fix == fix)
        }
    }

    @Test(arguments: [
        ("{words: one}", "", "status or message"),
        ("{status: 404}", ".words", "a sentence for people"),
        ("{status: 404, words: ''}", ".words", "a sentence for people"),
        ("{status: 404, words: 5}", ".words", "a sentence for people"),
        (#"{status: 404, words: "a\nb"}"#, ".words", "a sentence for people"),
        ("{status: 404, words: '{item.payload}'}", ".words", "in the lane"),
        ("{status: 404, words: '{item.note}'}", ".words", "in the lane"),
        ("{status: 404, words: '{password}'}", ".words", "{password} only"),
        ("{status: 404, words: '{name}'}", ".words", "{account}"),
        ("{status: 404, words: 'a {'}", ".words", "placeholders"),
        ("{status: 199, words: one}", ".status", "a status from 200 to 599"),
        ("{status: [404, '404'], words: one}", ".status.1", "a status from 200 to 599"),
        ("{message: 5, words: one}", ".message", "text, or a list of texts"),
        ("{status: 404, words: one, fix: note}", ".fix", "one of user_id, payload"),
        ("{status: 404, words: one, fix: [user_id]}", ".fix", "one of user_id, payload"),
        ("{status: 404, code: a, words: one}", ".code", "message"),
        ("one", "", "a table of keys"),
    ])
    func eachMistakeNamesItsKeyAndLine(reason: String, key: String, expected: String) throws {
        let text = edited(Self.start, Self.start + "      - \(reason)\n")
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": text]) })
        let mistake = try #require(mistakes.all.first)
        #expect(mistake.key == "routes.measurement.reasons.1\(key)", "\(mistakes)")
        #expect(mistake.expected.contains(expected), "\(mistake)")
        #expect(mistake.line != nil)
        #expect(mistakes.all.count == 1, "one mistake sets off no avalanche: \(mistakes)")
    }

    @Test func routeWithoutPayloadHasNothingToCorrect() throws {
        let text = edited(
            "    delivery: at-most-once\n", "    delivery: at-most-once\n    reasons: {status: 422, words: one, fix: payload}\n")
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": text]) })
        #expect(mistakes.all.map(\.key) == ["routes.create_managed_user.reasons.0.fix"])
        #expect(mistakes.all.first?.expected.hasPrefix("no fix") == true)
    }
}
