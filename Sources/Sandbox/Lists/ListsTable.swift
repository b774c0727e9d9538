import Foundation
import HTTPTypes

/// The rows of both versions of Lists. A deletion only marks a row.
struct ListsTable: Sendable {
    struct Row: Sendable {
        let id: Int
        /// The account that made the row; for a list, also its owner.
        let account: SandboxAccount
        /// The list of a task.
        var list: Int?
        var members: JSONObject
        var changedAt: Date
        var isDeleted = false
    }

    let edition: ListsEdition
    private(set) var lists: [Row] = []
    var tasks: [Row] = []

    init(_ edition: ListsEdition) { self.edition = edition }

    mutating func answer(
        _ call: ListsCall, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        switch (call.method, call.target) {
        case ("GET", .lists): return .json(200, listing("list", lists.filter { $0.account.id == account.id }, request))
        case ("POST", .lists): return try addList(request, by: account, at: now)
        case ("GET", .list(let id)): return .json(200, wrapped(lists[try place(ofList: id, for: account)], "list"))
        case ("PATCH", .list(let id)): return try changeList(id, request, by: account, at: now)
        case ("DELETE", .list(let id)): return try deleteList(id, by: account, at: now)
        case ("GET", .tasks(let list)): return try taskList(of: list, request, for: account)
        case ("POST", .tasks(let list)): return try addTask(to: list, request, by: account, at: now)
        case (let method, .task(let id, let action)): return try act("\(method) \(action)", on: id, request, by: account, at: now)
        default: throw edition.notFound
        }
    }

    /// The list that the account may use.
    func place(ofList id: Int, for account: SandboxAccount) throws(Refusal) -> Int {
        guard let place = lists.firstIndex(where: { $0.id == id && !$0.isDeleted }) else { throw edition.notFound }
        guard lists[place].account.id == account.id else { throw edition.forbidden }
        return place
    }

    /// The members of `name` in the body; throws without any, or if one of `required` is blank.
    func given(_ name: String, _ request: SandboxRequest, required: [String]) throws(Refusal) -> (body: JSONObject, members: JSONObject) {
        guard let body = request.object, let members = body[name]?.members, !members.isEmpty else { throw .parameterMissing(name) }
        for key in required {
            guard let text = members[key]?.text, !text.trimmingSpaces().isEmpty else { throw .invalid(key, "can't be blank") }
            guard text.count <= 255 else { throw .invalid(key, "is too long (maximum is 255 characters)") }
        }
        return (body, members)
    }

    /// The older version also lists the ids of deleted rows.
    func listing(_ type: String, _ rows: [Row], _ request: SandboxRequest) -> JSON {
        // `try?`: an unreadable time lists everything.
        let since = request.query["since"].flatMap { try? Date($0, strategy: .iso8601) } ?? .distantPast
        let rows = rows.filter { $0.changedAt >= since }
        let tombstones = rows.filter { $0.isDeleted && edition == .guide }.map { row -> JSON in
            ["id": .int(row.id), "deleted_at": .string(row.changedAt.railsTimestamp), "type": .string(type)]
        }
        return .object([
            "\(type)s": .array(rows.filter { !$0.isDeleted }.map { .object($0.members) }), "tombstones": .array(tombstones),
        ])
    }

    func wrapped(_ row: Row, _ name: String) -> JSON { edition == .guide ? .object(row.members) : .object([name: .object(row.members)]) }

    private mutating func addList(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) throws(Refusal) -> SandboxReply {
        let (body, given) = try given("list", request, required: ["name"])
        let id = lists.count + 1
        let time = JSON.string(now.railsTimestamp)
        var members: JSONObject = [
            "id": .int(id), "name": given["name"] ?? .null, "description": given["description"] ?? .null, "role": "owner",
            "created_at": time, "updated_at": time,
        ]
        switch edition {
        case .guide: (members["owner"], members["members_count"]) = (account.json, 1)
        case .later:
            (members["user"], members["tasks_count"]) = (account.json, 0)
            (members["visibility"], members["color"]) = (given["visibility"] ?? "private", given["color"] ?? .null)
        }
        let row = Row(id: id, account: account, members: members, changedAt: now)
        lists.append(row)
        let commit = account.commit("list", id, request.clientMutationID(in: body), .object(given))
        return .json(201, wrapped(row, "list"), commit: commit)
    }

    private mutating func changeList(
        _ id: Int, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        let place = try place(ofList: id, for: account)
        let isNamed = request.object?["list"]?["name"] != nil
        let (body, given) = try given("list", request, required: isNamed ? ["name"] : [])
        for key in ["name", "description"] { if let value = given[key] { lists[place].members[key] = value } }
        lists[place].members["updated_at"] = .string(now.railsTimestamp)
        lists[place].changedAt = now
        let commit = account.commit("list", id, request.clientMutationID(in: body), .object(given))
        return .json(200, wrapped(lists[place], "list"), commit: commit)
    }

    private mutating func deleteList(_ id: Int, by account: SandboxAccount, at now: Date) throws(Refusal) -> SandboxReply {
        let place = try place(ofList: id, for: account)
        (lists[place].isDeleted, lists[place].changedAt) = (true, now)
        return SandboxReply(response: SandboxResponse(status: 204), commit: account.deletion("list", id))
    }
}

/// Errors of both versions; the older one does not send the codes.
extension Refusal {
    static func parameterMissing(_ name: String) -> Refusal {
        Refusal(400, "parameter_missing", "param is missing or the value is empty: \(name)")
    }

    static func invalid(_ name: String, _ words: String) -> Refusal {
        Refusal(422, "validation_error", "Validation failed", details: .object([name: [.string(words)]]))
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
