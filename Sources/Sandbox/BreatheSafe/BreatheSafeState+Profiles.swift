extension BreatheSafeState {
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
        return .json(
            200, ["profile": profile.json, "messages": []],
            commit: Commit(
                resource: "profile", account: manager.id, user: user, remoteID: profile.id,
                clientMutationID: given["client_mutation_id"]?.text, document: given))
    }
}
