extension BreatheSafeState {
    /// The columns of a fit test that a client may set.
    private static let columns = [
        "mask_id", "user_seal_check", "comfort", "facial_hair", "results", "quantitative_fit_testing_device_id", "bulk_fit_tests_import_id",
        "notes", "procedure",
    ]
    private static let longestNotes = 10_000

    /// The fit tests of the signed-in manager's users.
    func listFitTests(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else {
            return .json(401, ["fit_tests": [], "tested_and_untested": [], "messages": ["Unauthorized."]])
        }
        let rows = fitTests.filter { manages(manager, $0.user) }.map(\.json)
        return .json(200, ["fit_tests": .array(rows), "tested_and_untested": [], "messages": []])
    }

    /// Stores a fit test with the user's newest measurement. An unknown mask and long notes fail in the database, for ever.
    mutating func addFitTest(_ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        func refused(_ status: Int) -> BreatheSafeReply { .json(status, ["fit_test": [:], "messages": ["Unauthorized."]]) }
        guard let manager = visit.user else { return refused(401) }
        let owner = try visit.required("user")
        guard let user = owner["id"]?.integer, users[user] != nil, manages(manager, user) else { return refused(422) }
        let given = try visit.required("fit_test")
        let values = try changed([:], by: given)
        let row = BreatheSafeFitTest(
            id: nextID(of: "fit_tests"), user: user, measurement: measurements.last { $0.user == user }?.id, createdAt: visit.now,
            updatedAt: visit.now, values: values)
        fitTests.append(row)
        return .json(
            201, ["fit_test": row.json, "messages": []],
            commit: commit(row, by: manager, document: given))
    }

    /// Changes a fit test; answers without a body.
    mutating func changeFitTest(_ id: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let manager = visit.user else { return unauthorized }
        guard let place = fitTests.firstIndex(where: { $0.id == id }) else { throw .notFound }
        guard manages(manager, fitTests[place].user) else { return unauthorized }
        let given = try visit.required("fit_test")
        fitTests[place].values = try changed(fitTests[place].values, by: given)
        fitTests[place].updatedAt = visit.now
        return BreatheSafeReply(
            response: SandboxResponse(status: 204), commit: commit(fitTests[place], by: manager, document: given))
    }

    /// Deletes a fit test.
    mutating func deleteFitTest(_ id: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let manager = visit.user else { return unauthorized }
        guard let place = fitTests.firstIndex(where: { $0.id == id }) else { throw .notFound }
        guard manages(manager, fitTests[place].user) else { return unauthorized }
        let row = fitTests.remove(at: place)
        return .json(200, ["messages": []], commit: commit(row, by: manager, document: nil))
    }

    private var unauthorized: BreatheSafeReply { .json(401, ["messages": ["Unauthorized."]]) }

    private func changed(_ values: JSONObject, by given: JSON) throws(RailsException) -> JSONObject {
        guard let changes = given.members else { throw .badRequest }
        var values = values
        for column in Self.columns { values[column] = changes[column] ?? values[column] ?? .null }
        let mask = values["mask_id"] ?? .null
        guard mask == .null || masks.contains(where: { $0.id == mask.integer }) else { throw .internalError }
        guard (values["notes"]?.text?.unicodeScalars.count ?? 0) <= Self.longestNotes else { throw .internalError }
        return values
    }

    private func commit(_ row: BreatheSafeFitTest, by manager: BreatheSafeUser, document: JSON?) -> Commit {
        Commit(
            resource: "fit_test", account: manager.id, user: row.user, remoteID: row.id,
            clientMutationID: document?["client_mutation_id"]?.text, document: document)
    }
}
