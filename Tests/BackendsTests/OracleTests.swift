import Backends
import Foundation
import SyncModel
import Testing

/// Compares verdicts with a table that was written from the backends' contracts and RFC 9110 without knowledge of the code.
struct OracleTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name, profile, route: String
        let status: Int
        let headers: [String: String]
        let body, bodyBase64: String?
        /// The accepted meanings, separated by `|`.
        let meaning: String
        /// True if the outcome stays unknown.
        let open: Bool
        let remoteID: String?
        let source: String

        var testDescription: String { name }
        var response: InboundResponse {
            let bytes = bodyBase64.flatMap { Data(base64Encoded: $0) } ?? Data((body ?? "").utf8)
            return InboundResponse(status: status, headers: headers.map { HeaderField($0.key, $0.value) }, body: bytes)
        }
    }

    static let cases: [Case] = {
        guard let file = Bundle.module.url(forResource: "Fixtures/Oracle/answers", withExtension: "json") else { return [] }
        // `try!`: an unreadable table must not pass as an empty one.
        return try! JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
    }()

    private static func meaning(_ verdict: Verdict) -> String {
        switch verdict {
        case .accepted: "delivered"
        case .permanent: "failed"
        case .forbidden: "forbidden"
        case .unauthorized: "session"
        case .throttled: "quiet"
        case .locked: "locked"
        case .intercepted: "intercepted"
        case .transient: "undeclared"
        // A success without the promised content has a status below 300; the others are listed in `unknown_on`.
        case .unknown(let failure): failure.status.map { $0 < 300 } == true ? "unproven" : "undeclared"
        case .unreachable, .unseen, .unread: verdict.name.rawValue
        }
    }

    @Test func tableHasRows() { #expect(Self.cases.count > 100) }

    @Test(arguments: cases) func verdictMatchesTheContract(row: Case) throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == row.profile })
        let verdict = backend.verdict(on: row.response, to: mutation(row.route), at: noon)
        let meaning = Self.meaning(verdict)
        #expect(row.meaning.split(separator: "|").contains(Substring(meaning)), "\(verdict); \(row.source)")
        if let failure = verdict.failure { #expect(failure.outcomeUnknown == row.open, "\(verdict); \(row.source)") }
        if case .accepted(let receipt) = verdict { #expect(receipt.remoteID == row.remoteID) }
    }
}
