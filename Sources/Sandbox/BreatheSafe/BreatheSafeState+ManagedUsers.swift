import Foundation

extension BreatheSafeState {
    /// The manager's users, 25 per page by default and at most 100.
    func listManagedUsers(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else {
            return .json(422, ["managed_users": [], "messages": ["Please log in."], "total_count": 0, "page": 1, "per_page": 25])
        }
        let mine = managedUsers.filter { $0.manager == manager.id && isListed($0.createdAt, at: visit.now) }
        return Page(of: visit, usually: 25, isFixed: ignoresPerPage).reply("managed_users", mine, listed)
    }

    /// The user with this `managed_id`.
    func managedUser(_ user: Int, _ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else { return .json(422, ["managed_users": [], "messages": ["Please log in."]]) }
        let rows = managedUsers.filter { $0.user == user && manages(manager, user) }
        guard !rows.isEmpty else { return .json(404, ["managed_users": [], "messages": ["Managed user not found."]]) }
        return .json(200, ["managed_users": .array(rows.map(single)), "messages": []])
    }

    mutating func addManagedUser(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else { return .json(422, ["managed_user": [:], "messages": ["Please log in."]]) }
        let row = addManagedUser(nextID(of: "users"), manager: manager.id, at: visit.now)
        let document = single(row)
        return .json(
            201, ["managed_user": document, "messages": []],
            commit: Commit(resource: "managed_user", account: manager.id, user: row.user, remoteID: row.id, document: document))
    }

    /// Deletes a person with all data, unless a fit test was cloned; `row` is `managed_users.id`.
    mutating func deleteManagedUser(_ row: Int, _ visit: BreatheSafeVisit) -> BreatheSafeReply {
        func answer(_ status: Int, _ message: JSON, commit: Commit? = nil) -> BreatheSafeReply {
            .json(status, ["managed_users": [], "messages": [message]], commit: commit)
        }
        guard let manager = visit.user else { return answer(422, "Please log in.") }
        guard let found = managedUsers.first(where: { $0.id == row }) else { return answer(404, "Managed user not found.") }
        guard manager.isAdmin || found.manager == manager.id else { return answer(403, "Not authorized to delete this user.") }
        guard !fitTests.contains(where: { $0.user == found.user && isCloned($0) }) else {
            return answer(500, "Transaction to delete failed: a fit test is still referenced by its clone")
        }
        remove(found.user)
        return answer(
            200, "User deleted successfully.",
            commit: Commit(resource: "managed_user", account: manager.id, user: found.user, remoteID: row))
    }

    private func common(_ row: BreatheSafeManagedUser) -> JSONObject {
        let time = JSON.string(row.createdAt.railsTimestamp)
        let arkit = measurements.last { $0.user == row.user && $0.source == "arkit" }
        let masks = Set(fitTests.filter { $0.user == row.user }.compactMap { $0.values["mask_id"]?.integer })
        return [
            "id": .integer(row.id), "manager_id": .integer(row.manager), "managed_id": .integer(row.user), "user_id": .integer(row.user),
            "created_at": time, "updated_at": time, "demog_percent_complete": 0,
            "fm_percent_complete": .decimal(arkit?.aggregate.percentComplete ?? 0), "traditional_fm_percent_complete": 0,
            "traditional_fm_count": 0, "traditional_fm_total": 6, "num_unique_masks_tested": .integer(masks.count),
            "profile_id": .integer(profiles[row.user]?.id),
        ].merging(profiles[row.user]?.valuesWithToken ?? [:]) { $1 }
    }

    private func single(_ row: BreatheSafeManagedUser) -> JSON { .object(common(row)) }

    private func listed(_ row: BreatheSafeManagedUser) -> JSON {
        let newest = measurements.last { $0.user == row.user }
        var object = common(row)
        object["manager_email"] = .text(users[row.manager]?.email)
        object["facial_measurement_id"] = .integer(newest?.id)
        object["source"] = .text(newest?.source)
        for column in BreatheSafeMeasurement.columns + ["cheek_fullness"] { object[column] = newest?.values[column] ?? .null }
        object["arkit"] = newest?.arkit ?? .null
        object["missing_ratio"] = .decimal(0)
        return .object(object)
    }

    /// The profile of a user; null if there is none.
    func showProfile(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return .json(401, ["profile": nil, "messages": ["Unauthorized."]]) }
        guard manages(manager, user) else { return .json(422, ["profile": nil, "messages": ["Not authorized to view this profile"]]) }
        return .json(200, ["profile": profiles[user]?.json ?? .null, "messages": []])
    }

    /// The last write wins. Managers have no profile here, so changing their own gives 500.
    mutating func changeProfile(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let manager = visit.user else { return .json(401, ["profile": nil, "messages": nil]) }
        guard users[user] != nil else { throw .notFound }
        guard manages(manager, user) else { return .json(422, ["profile": nil, "messages": nil]) }
        guard var profile = profiles[user] else { throw .internalError }
        let given = try visit.required("profile")
        guard let changes = given.members else { throw .internalError }
        profile.change(changes, at: visit.now)
        // The owner of a profile is unique and cannot change.
        if let owner = changes["user_id"], owner.rowID != user {
            return .json(422, ["profile": profile.json, "messages": ["Did not update."]])
        }
        profiles[user] = profile
        let commit = manager.commit("profile", of: user, profile.id, given)
        return .json(200, ["profile": profile.json, "messages": []], commit: commit)
    }
}
