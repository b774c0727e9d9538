import Foundation

extension ListsTable {
    /// In the later version in pages of at most 50 rows, newest first.
    func taskList(of list: Int, _ request: SandboxRequest, for account: SandboxAccount) throws(Refusal) -> SandboxReply {
        if edition == .later { _ = try place(ofList: list, for: account) }
        guard let parent = lists.first(where: { $0.id == list && !$0.isDeleted }) else { throw edition.notFound }
        let rows = tasks.filter { $0.list == list && (parent.account.id == account.id || $0.account.id == account.id) }
        guard edition == .later else { return .json(200, listing("task", rows, request)) }
        let all = Array(rows.filter { !$0.isDeleted }.reversed())
        func asked(_ name: String, or other: Int) -> Int { request.query[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? other }
        let (page, size) = (asked("page", or: 1), min(50, asked("per_page", or: 25)))
        let rowsOfPage = page <= all.count ? all.dropFirst((page - 1) * size).prefix(size) : []
        var body = listing("task", Array(rowsOfPage), request).members ?? [:]
        body["pagination"] = [
            "page": .int(page), "per_page": .int(size), "total": .int(all.count), "total_pages": .int((all.count + size - 1) / size),
        ]
        return .json(200, .object(body))
    }

    mutating func addTask(
        to list: Int, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        if edition == .later, request.body.isEmpty { throw Refusal(400, "empty_body", "Bad Request") }
        let list = try listForTask(list, of: account)
        let (body, given) = try given("task", request, required: edition == .guide ? ["title", "due_at"] : ["title"])
        // Apart from the lists' numbers, so that a mix-up shows.
        let id = 101 + tasks.count
        let time = JSON.string(now.railsTimestamp)
        var members: JSONObject = [
            "id": .int(id), "list_id": .int(list), "completed_at": .null, "created_at": time, "updated_at": time,
        ]
        for (member, key) in edition.taskMembers { members[member] = given[key] ?? .null }
        let row = Row(id: id, account: account, list: list, members: members, changedAt: now)
        tasks.append(row)
        let commit = account.commit("task", id, request.clientMutationID(in: body), .object(given))
        return .json(201, wrapped(row, "task"), commit: commit)
    }

    /// The list in the path does not matter.
    mutating func act(
        _ action: String, on id: Int, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        let place = try place(ofTask: id, for: account)
        switch (edition, action) {
        case (_, "GET "): return .json(200, wrapped(tasks[place], "task"))
        case (_, "PATCH "): return try change(place, request, by: account, at: now)
        case (_, "DELETE "): return try delete(place, by: account, at: now)
        case (.guide, "POST complete"): return try complete(place, request.object?["completed"] != false, by: account, at: now)
        case (.later, "PATCH complete"): return try complete(place, true, by: account, at: now)
        case (.guide, "PATCH uncomplete"), (.later, "PATCH reopen"): return try complete(place, false, by: account, at: now)
        default: throw edition.notFound
        }
    }

    /// The older version stores a forbidden task in the account's first list.
    private func listForTask(_ id: Int, of account: SandboxAccount) throws(Refusal) -> Int {
        if edition == .later { return lists[try place(ofList: id, for: account)].id }
        guard let list = lists.first(where: { $0.id == id && !$0.isDeleted }) else { throw edition.notFound }
        if list.account.id == account.id { return id }
        guard let own = lists.first(where: { $0.account.id == account.id && !$0.isDeleted }) else {
            throw Refusal(403, "", "You do not have permission to add tasks to this list")
        }
        return own.id
    }

    /// The older version still finds a deleted task.
    private func place(ofTask id: Int, for account: SandboxAccount) throws(Refusal) -> Int {
        guard let place = tasks.firstIndex(where: { $0.id == id }) else { throw edition.notFound }
        if edition == .later {
            let list = lists.first { $0.id == tasks[place].list }
            guard !tasks[place].isDeleted, list?.isDeleted == false, list?.account.id == account.id else { throw edition.notFound }
        }
        return place
    }

    private func checkEditing(_ place: Int, by account: SandboxAccount) throws(Refusal) {
        if tasks[place].account.id != account.id { throw Refusal(403, "not_authorized", "You can only edit tasks you created") }
    }

    private mutating func change(
        _ place: Int, _ request: SandboxRequest, by account: SandboxAccount, at now: Date
    ) throws(Refusal) -> SandboxReply {
        try checkEditing(place, by: account)
        let isNamed = request.object?["task"]?["title"] != nil
        let (body, given) = try given("task", request, required: isNamed ? ["title"] : [])
        for (member, key) in edition.taskMembers { if let value = given[key] { tasks[place].members[member] = value } }
        return changed(place, account.commit("task", tasks[place].id, request.clientMutationID(in: body), .object(given)), at: now)
    }

    private mutating func complete(_ place: Int, _ isDone: Bool, by account: SandboxAccount, at now: Date) throws(Refusal) -> SandboxReply {
        let list = lists.first { $0.id == tasks[place].list }
        guard [list?.account.id, tasks[place].account.id].contains(account.id) else { throw edition.forbidden }
        tasks[place].members["completed_at"] = isDone ? .string(now.railsTimestamp) : .null
        return changed(place, account.commit("task", tasks[place].id, nil, ["completed": .bool(isDone)]), at: now)
    }

    private mutating func changed(_ place: Int, _ commit: Commit, at now: Date) -> SandboxReply {
        tasks[place].members["updated_at"] = .string(now.railsTimestamp)
        tasks[place].changedAt = now
        return .json(200, wrapped(tasks[place], "task"), commit: commit)
    }

    /// The older version answers a second deletion like the first.
    private mutating func delete(_ place: Int, by account: SandboxAccount, at now: Date) throws(Refusal) -> SandboxReply {
        try checkEditing(place, by: account)
        let isNew = !tasks[place].isDeleted
        (tasks[place].isDeleted, tasks[place].changedAt) = (true, now)
        return SandboxReply(
            response: SandboxResponse(status: 204), commit: isNew ? account.deletion("task", tasks[place].id) : nil)
    }
}

extension SandboxAccount {
    /// A row that this account deleted.
    func deletion(_ resource: String, _ id: Int) -> Commit { Commit(resource: resource, account: number, remoteID: id) }
}
