import Foundation
import HTTPTypes

/// The rows of both versions of Lists.
struct ListsTable: Sendable {
    private var rows: [(owner: SandboxAccount, row: JSON)] = []

    func lists(of account: SandboxAccount) -> JSON { .array(rows.filter { $0.owner.id == account.id }.map(\.row)) }

    func has(_ id: Int, of account: SandboxAccount) -> Bool {
        rows.contains { $0.owner.id == account.id && $0.row["id"] == .int(id) }
    }

    mutating func add(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) throws(Refusal) -> StandInReply {
        guard let body = request.object, let given = body["list"]?.members, !given.isEmpty else { throw .parameterMissing("list") }
        guard let name = given["name"]?.text, !name.trimmingSpaces().isEmpty else {
            throw Refusal(422, "validation_error", "Validation failed", details: ["name": ["can't be blank"]])
        }
        let id = rows.count + 1
        let time = JSON.string(now.railsTimestamp)
        let row: JSON = [
            "id": .int(id), "name": .string(name), "description": given["description"] ?? .null,
            "owner": account.json, "role": "owner", "members_count": 1, "created_at": time, "updated_at": time,
        ]
        rows.append((account, row))
        return .json(201, row, commit: account.commit("list", id, request.clientMutationID(in: body), .object(given)))
    }
}

/// Errors of both versions; the older one does not send the codes.
extension Refusal {
    static func parameterMissing(_ name: String) -> Refusal {
        Refusal(400, "parameter_missing", "param is missing or the value is empty: \(name)")
    }

    /// The rate limiter's 429; Retry-After is its period in seconds.
    static let tooManyRequests = Refusal(429, "", "Too many requests. Please try again later.", headers: [.retryAfter: "60"])

    /// The response with this value of `error`.
    func listsResponse(_ error: JSON) -> SandboxResponse {
        SandboxResponse.json(status, ["error": error]).adding(headers)
    }

    /// The seconds of Retry-After; nil if the refusal is not the rate limiter's.
    var retryAfter: Int? { headers[.retryAfter].flatMap { Int($0) } }
}
