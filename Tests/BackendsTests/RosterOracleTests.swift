import Backends
import Foundation
import SyncModel
import Testing

/// Compares answers to list requests with a table that was written from the backends' contracts and RFC 9110 without knowledge of the code.
struct RosterOracleTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        struct Row: Decodable, Equatable, Sendable {
            let id, label: String
            /// As a JSON array.
            let kept: String
        }

        let name, profile, resource: String
        let status: Int
        let headers: [String: String]
        let body: String
        /// The ETag of the request.
        let sent: String?
        let outcome: String
        let rows: [Row]?
        let total, nameless: Int?
        let source: String

        var testDescription: String { name }
        var response: InboundResponse {
            InboundResponse(status: status, headers: headers.map { HeaderField($0.key, $0.value) }, body: Data(body.utf8))
        }
    }

    static let cases: [Case] = {
        guard let file = Bundle.module.url(forResource: "Fixtures/Oracle/rosters", withExtension: "json") else { return [] }
        // `try!`: an unreadable table must not pass as an empty one.
        return try! JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
    }()

    private static func outcome(_ answer: ResourceAnswer) -> String {
        switch answer {
        case .page: "page"
        case .unchanged: "unchanged"
        case .gone: "gone"
        case .unauthorized: "session"
        case .throttled: "quiet"
        case .failed(let failure): failure.reason == .intercepted ? "intercepted" : "failed"
        }
    }

    @Test func tableHasRows() { #expect(Self.cases.count > 70) }

    @Test(arguments: cases) func answerMatchesTheContract(row: Case) throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == row.profile })
        let resource = try #require(backend.resource(row.resource))
        let answer = backend.answer(to: resource, row.response, sentETag: row.sent, now: noon)
        #expect(Self.outcome(answer) == row.outcome, "\(answer); \(row.source)")
        switch answer {
        case .page(let page):
            let rows = page.rows.map { row in
                // The table leaves out when a row was made.
                let kept = row.kept.enumerated().filter { $0.offset != resource.created }.map(\.element)
                return Case.Row(
                    id: "\(row.id)", label: row.label, kept: String(decoding: JSONValue.array(kept).serialized, as: UTF8.self))
            }
            #expect(rows == row.rows)
            #expect(page.total == row.total)
            #expect(page.nameless == row.nameless)
            #expect(page.rows.allSatisfy { $0.folded == $0.label.folded })
        case .unauthorized(let failure), .throttled(let failure, _), .failed(let failure):
            #expect(failure.status == row.status)
            #expect(!failure.message.isEmpty)
        case .unchanged, .gone: break
        }
    }
}
