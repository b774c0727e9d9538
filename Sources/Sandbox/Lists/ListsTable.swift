import Foundation
import HTTPTypes

/// The rows of both versions of Lists.
struct ListsTable: Sendable {
    private var rows: [(owner: SandboxAccount, row: JSON)] = []

    func lists(of account: SandboxAccount) -> JSON { .array(rows.filter { $0.owner.id == account.id }.map(\.row)) }

    func has(_ id: Int, of account: SandboxAccount) -> Bool {
        rows.contains { $0.owner.id == account.id && $0.row["id"] == .int(id) }
    }

    mutating func add(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) throws(ListProblem) -> StandInReply {
        guard let body = request.object, let given = body["list"]?.members, !given.isEmpty else { throw .parameterMissing }
        guard let name = given["name"]?.text, !name.trimmingSpaces().isEmpty else { throw .nameIsBlank }
        let id = rows.count + 1
        let time = JSON.string(now.railsTimestamp)
        let row: JSON = [
            "id": .int(id), "name": .string(name), "description": given["description"] ?? .null,
            "owner": ["id": .string(account.id), "email": .string(account.email)], "role": "owner", "members_count": 1,
            "created_at": time, "updated_at": time,
        ]
        rows.append((account, row))
        let commit = Commit(
            resource: "list", account: account.number, user: nil, remoteID: id, clientMutationID: request.clientMutationID(in: body),
            document: .object(given))
        return .json(201, row, commit: commit)
    }
}

enum ListProblem: Error {
    case parameterMissing, nameIsBlank
}

extension Refusal {
    /// The rate limiter's 429; Retry-After is its period in seconds.
    static func tooManyRequests(_ seconds: Int) -> Refusal {
        Refusal(429, "", "Too many requests. Please try again later.", headers: [.retryAfter: String(seconds)])
    }
}
