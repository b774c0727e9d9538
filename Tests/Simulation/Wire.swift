import Backends
import Delivery
import Foundation
import SyncModel

/// Responses of the simulated backends, for real profiles to interpret.
enum Wire {
    private static let json = [HeaderField("Content-Type", "application/json; charset=utf-8")]
    private static let html = [HeaderField("Content-Type", "text/html")]

    private static func answer(_ status: Int, _ body: String, _ headers: [HeaderField] = json) -> InboundResponse {
        InboundResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    private static let page = "<html><body>Please wait</body></html>"

    /// - Parameter content: the body of a success.
    static func answer(_ fate: Fate, content: String) -> InboundResponse? {
        switch fate {
        case .fine: answer(201, content)
        case .offline, .lostBefore, .lostAfter, .lostLate, .renewalUnavailable, .tooSoon, .resting: nil
        case .errorBefore, .errorAfter: answer(500, #"{"message":"Internal Server Error"}"#)
        case .gatewayBefore, .gatewayAfter: answer(504, page, html)
        case .timeout: answer(408, "")
        case .openBefore, .openAfter: answer(406, #"{"message":"Not Acceptable"}"#)
        case .throttledBriefly: answer(429, #"{"message":"slow down"}"#, json + [HeaderField("Retry-After", "20")])
        case .throttledLong: answer(429, "", [HeaderField("Retry-After", "999999999999999999999")])
        case .busyBefore, .busyAfter: answer(503, page, html + [HeaderField("Retry-After", "30")])
        case .locked: answer(423, #"{"message":"locked"}"#)
        case .lockedLong: answer(423, #"{"message":"locked"}"#, json + [HeaderField("Retry-After", "21600")])
        case .sessionEnds, .stillUnauthorized: answer(401, #"{"code":"expired"}"#)
        case .deniedDeclared: answer(403, #"{"code":"not-yours"}"#)
        case .refusedDeclared: answer(422, #"{"code":"Invalid: too short"}"#)
        case .refusedJSON: answer(422, #"{"message":"Unprocessable Content"}"#)
        case .notFoundJSON: answer(404, #"{"status":404,"error":"Not Found"}"#)
        case .forbiddenJSON: answer(403, #"{"message":"Forbidden"}"#)
        case .notFoundPage: answer(404, page, html)
        case .redirect: answer(302, "", [HeaderField("Location", "http://portal.example/")])
        case .pageBefore, .pageAfter: answer(200, page, html)
        case .refusalPage: answer(403, page, html)
        case .sessionPage: answer(401, page, html)
        case .textAfter: answer(201, "created", [HeaderField("Content-Type", "text/plain")])
        case .emptyAfter: answer(201, "")
        case .noIDAfter: answer(201, #"{"message":"created"}"#)
        case .falseIDAfter: answer(201, #"{"id":false}"#)
        case .cutJSONAfter: answer(201, #"{"id":"18"#)
        }
    }

    /// As in JSON, and unique: numbers, numbers beyond the range of a double or of 64 bits, and texts.
    static func remoteID(_ number: Int64) -> String {
        switch number % 4 {
        case 0: "\(number)"
        case 1: "\"m-\(number)\""
        case 2: "1844674407370955\(10_000 + number)"
        default: "\(9_007_199_254_740_992 + number)"
        }
    }

    /// The resource whose rows entries create and refer to.
    static let resource = "rows"

    /// The name of the row in a request; nil for none.
    static func row(in request: OutboundRequest) throws -> RosterID? {
        struct Body: Decodable { var row: String? }
        return try request.body.flatMap { try JSONDecoder().decode(Body.self, from: $0).row }.map { RosterID($0) }
    }

    static let rowsPerPage = 2

    static func list(_ rows: [(id: MutationID, remoteID: String)], page: Int) -> String {
        let shown = rows.dropFirst((page - 1) * rowsPerPage).prefix(rowsPerPage)
        let texts = shown.map { #"{"mid":"\#($0.id)","id":\#($0.remoteID)}"# }
        return #"{"rows":[\#(texts.joined(separator: ","))],"total":\#(rows.count)}"#
    }

    static func health(_ account: String?) -> String { #"{"user":\#(account.map { #"{"id":"\#($0)"}"# } ?? "null")}"# }

    /// The profile of a made-up backend.
    static func profile(_ backend: Plan.Backend) -> String {
        let lifetime = backend.keyLifetime.map { ", key_ttl: \(Int($0))" } ?? ""
        let find = { (name: String) in
            "    find: {request: GET /\(name), list: /rows, match: /mid, remote_id: /id, pages: {page: page, per_page: per_page, total: /total}}\n"
        }
        let routes = RouteKind.allCases.map { kind in
            var route = """
                  \(kind.rawValue):
                    request: POST /\(kind.rawValue)
                    fields: {row: {type: text, reference: \(resource)}}
                    json: {row: "{item.row?}", data: "{item.payload}"}
                    marker: /data/mid
                    remote_id: /id
                    unknown_on: [406]

                """
            if kind.traits.isAtMostOnce { route += "    delivery: at-most-once\n" }
            if kind.traits.canLookUp { route += find(kind.rawValue) }
            return route
        }
        return """
            schema: 1
            name: \(backend.name)
            base_url: https://\(backend.name).example
            auth:
              scheme: bearer
              on_401: [refresh]
              refresh: {request: POST /refresh, json: {token: "{refresh}"}, access: /token, account: /id}
            \(backend.hasHealthRoute ? "health: {request: GET /me, account: /user/id}" : "")
            errors: {code: /code, message: /message, dead: ["invalid*"], forbidden: [not-yours]}
            idempotency: {header: Idempotency-Key\(lifetime)}
            resources:
              \(resource): {request: GET /\(resource), list: /rows, id: /id}
            routes:
            \(routes.joined())
            """
    }
}
