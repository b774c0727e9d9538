import Foundation

struct DescribedRow: Sendable {
    let id: Int
    let account: String
    let route: String
    let path: String
    /// The values of the placeholders.
    let values: JSONObject
    /// The mutation's id, from the profile's `marker` pointer.
    let marker: String?
    let key: String?
    let document: JSON
    let time: Date
}

extension DescribedState {
    /// Accepts a change. A repeated key, or a repeated PUT of the same document, changes nothing.
    mutating func take(
        _ name: String, _ call: DescribedCall, _ values: JSONObject, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        try checkCSRF(of: request)
        let key = try idempotencyKey(of: request)
        let body = call.bodyOf(request)
        let marker = try call.table["marker"]?.text.map { pointer throws(Refusal) in
            guard let marker = body?.at(pointer)?.text else { throw Refusal(400, "", "the body lacks the entry's id at \(pointer)") }
            return marker
        }
        let isGone = rows.contains { $0.route == name && $0.path == request.path }
        if isGone, let code = call.table["gone"]?.firstPointer { throw Refusal(404, code, "\(request.path) is gone") }
        let row = DescribedRow(
            id: rows.count + 1, account: account.id, route: name, path: request.path, values: values, marker: marker, key: key,
            document: values["item.payload"] ?? body ?? .object(values), time: now)
        if let earlier = rows.first(where: { row.repeats($0, byPut: request.method == "PUT") }) { return answer(earlier, call) }
        rows.append(row)
        var reply = answer(row, call)
        reply.commit = account.commit(name, row.id, marker ?? key ?? values["item.id"]?.text, row.document)
        return reply
    }

    func find(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) -> SandboxReply {
        var lists: [String: [JSON]] = [:]
        var totals: [(pointer: String?, value: JSON)] = []
        for call in calls where call.isMeant(by: request) {
            // `try?`: on an error the request is for another route's list.
            guard case .find(let route) = call.purpose, let asked = try? call.values(in: request), let list = call.table["list"]?.text
            else {
                continue
            }
            let found = rows.filter { row in
                row.route == route && row.account == account.id && asked.allSatisfy { row.values[$0.key]?.plain == $0.value.plain }
            }
            let page = listed(found, call, request, at: now)
            totals.append((call.table["pages"]?["total"]?.text, .int(page.total)))
            lists[list, default: []] += page.rows.map { row in
                var item = JSON.object([:])
                if let pointer = call.table["echo"]?.text { item.put(row.document, at: pointer) }
                if let pointer = call.table["remote_id"]?.text { item.put(id(row.id), at: pointer) }
                if let pointer = call.table["match"]?.text, let marker = row.marker { item.put(.string(marker), at: pointer) }
                return item
            }
        }
        return success(200, lists.map { ($0.key, .array($0.value)) } + totals)
    }

    private func answer(_ row: DescribedRow, _ call: DescribedCall) -> SandboxReply {
        if call.table["empty"] == true { return SandboxReply(response: SandboxResponse(status: 204)) }
        let promised = call.table["promises"]?.elements?.compactMap(\.text) ?? [call.table["promises"]?.text].compactMap(\.self)
        var values: [(pointer: String?, value: JSON)] = promised.sorted().map { ($0, .object([:])) }
        if let pointer = call.table["echo"]?.text { values.append((pointer, row.document)) }
        values.append((call.table["remote_id"]?.firstPointer, id(row.id)))
        for (pointer, template) in call.table["repeats"]?.members ?? [:] {
            values.append((pointer, .string(row.filling(template.text ?? ""))))
        }
        return success(call.method == "POST" ? 201 : 200, values)
    }

    private func checkCSRF(of request: SandboxRequest) throws(Refusal) {
        guard let header = profile["auth"]?["csrf"]?["header"]?.text, !["GET", "HEAD"].contains(request.method) else { return }
        guard let token = request.header(header), csrfTokens.contains(token) else {
            throw Refusal(422, "", "the request lacks a token of this session in the header \(header)", details: ["status": 422])
        }
    }

    private func idempotencyKey(of request: SandboxRequest) throws(Refusal) -> String? {
        guard let header = profile["idempotency"]?["header"]?.text else { return nil }
        let pattern = TextPattern(profile["idempotency"]?["quoted"] == true ? "\"{key}\"" : "{key}")
        guard let key = request.header(header).flatMap(pattern.values)?["key"]?.text else {
            throw Refusal(400, "", "the header \(header) is missing or does not match the profile")
        }
        return key
    }
}

extension DescribedRow {
    /// The template with the values of the mutation.
    fileprivate func filling(_ template: String) -> String {
        values.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value.plain) }
    }

    /// True if this repeats an earlier mutation and changes nothing.
    fileprivate func repeats(_ earlier: DescribedRow, byPut: Bool) -> Bool {
        guard account == earlier.account, route == earlier.route else { return false }
        if key != nil { return key == earlier.key }
        return byPut && path == earlier.path && document == earlier.document
    }
}

extension JSON {
    /// The value as text in a path: `5` and `"5"` are equal there.
    fileprivate var plain: String { text ?? description }
}
