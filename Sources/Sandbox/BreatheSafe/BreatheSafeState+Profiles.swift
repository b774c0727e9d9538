extension BreatheSafeState {
    /// Changes a managed user's profile; the last write wins. A manager has no row here, so their own profile fails.
    mutating func changeProfile(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        let refused = BreatheSafeReply.json(401, ["profile": nil, "messages": nil])
        guard let manager = visit.user else { return refused }
        guard manages(manager, user) else { return refused }
        let given = try visit.required("profile")
        guard let changes = given.members else { throw .badRequest }
        guard var profile = profiles[user] else { throw .internalError }
        profile.change(changes, at: visit.now)
        profiles[user] = profile
        return .json(
            200, ["profile": profile.json, "messages": []],
            commit: Commit(
                resource: "profile", account: manager.id, user: user, remoteID: profile.id,
                clientMutationID: given["client_mutation_id"]?.text, document: given))
    }
}
