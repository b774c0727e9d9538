import Foundation

extension BreatheSafeState {
    /// The list fails for stored documents nested this deeply.
    private static let unreadableLevels = 99

    /// All measurements of a user, newest first, with their captured faces.
    func listMeasurements(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let manager = visit.user else { return .json(401, ["messages": ["Unauthorized."]]) }
        guard users[user] != nil else { throw .notFound }
        guard manages(manager, user) else { return .json(422, ["messages": ["Not managed by current user."]]) }
        let rows = measurements.filter { $0.user == user && isListed($0.createdAt, at: visit.now) }.reversed()
        guard rows.allSatisfy({ $0.arkit.levels < Self.unreadableLevels }) else { throw .internalError }
        return .json(
            200,
            [
                "facial_measurements": .array(rows.map(\.json)), "recommender_measurements": [:], "recommender_measurements_camel": [:],
                "messages": [],
            ])
    }

    /// The newest measurement of each of the signed-in manager's users.
    func listNewestMeasurements(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else { return .json(401, ["facial_measurements": [], "messages": ["Unauthorized."]]) }
        let rows = managedUsers.filter { $0.manager == manager.id }.compactMap { managed -> JSON? in
            let row = measurements.last { $0.user == managed.user && isListed($0.createdAt, at: visit.now) }
            guard let row else { return nil }
            let profile = profiles[managed.user]?.values ?? [:]
            let names = ["first_name", "last_name"].map { profile[$0]?.text ?? "" }
            var object: JSONObject = [
                "id": .integer(row.id), "user_id": .int(managed.user), "user_email": .text(users[managed.user]?.email),
                "first_name": profile["first_name"] ?? .null, "last_name": profile["last_name"] ?? .null,
                "full_name": .string(names.joined(separator: " ")), "manager_email": .string(manager.email),
            ]
            for column in BreatheSafeMeasurement.columns {
                object[column] = row.values[column] ?? .null
                object["\(column)_z_score"] = .null
            }
            return .object(object)
        }
        return .json(200, ["facial_measurements": .array(rows), "messages": []])
    }

    /// Stores a captured face; BreatheSafe validates only `average_measurements`.
    mutating func addArkitMeasurement(to user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let arkit = try visit.required("arkit_data")
        let order = JSON.names(at: ["arkit_data", "average_measurements"], ruby: visit.request.body)
        let messages = ArkitValidation.messages(for: arkit, order: order)
        var row = BreatheSafeMeasurement(user: user, source: "arkit", arkit: arkit)
        guard messages.isEmpty else { return invalid(row, messages) }
        return store(&row, document: arkit, by: manager, at: visit.now)
    }

    /// Stores a measurement for the user in the body, even if the path names another.
    mutating func addMeasurement(to user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let given = try visit.required("facial_measurement")
        guard let object = given.members else { throw .internalError }
        var row = BreatheSafeMeasurement(
            user: object["user_id"].flatMap { $0 == .null ? nil : $0.rowID }, source: object["source"]?.text,
            arkit: object["arkit"] ?? .null,
            values: BreatheSafeMeasurement.columnValues(of: object))
        guard let owner = row.user, users[owner] != nil else { return invalid(row, ["User must exist"]) }
        return store(&row, document: given, by: manager, at: visit.now)
    }

    /// Computes the five sums; stores nothing.
    func aggregateArkit(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        func refused(_ status: Int, _ message: JSON) -> BreatheSafeReply {
            .json(status, ["aggregated": nil, "percent_complete": nil, "messages": [message]])
        }
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let aggregate = ArkitAggregate(try visit.required("arkit"))
        return .json(200, ["aggregated": aggregate.sums, "percent_complete": .decimal(aggregate.percentComplete), "messages": []])
    }

    private mutating func store(
        _ row: inout BreatheSafeMeasurement, document: JSON, by manager: BreatheSafeUser, at now: Date
    ) -> BreatheSafeReply {
        row.id = nextID(of: "facial_measurements")
        row.createdAt = now
        measurements.append(row)
        let commit = manager.commit("facial_measurement", of: row.user, row.id, document)
        return .json(201, ["facial_measurement": row.json, "messages": []], commit: commit)
    }

    private func refused(_ status: Int, _ message: JSON) -> BreatheSafeReply {
        .json(status, ["facial_measurement": [:], "messages": [message]])
    }

    private func invalid(_ row: BreatheSafeMeasurement, _ messages: [String]) -> BreatheSafeReply {
        .json(422, ["facial_measurement": row.json, "messages": .array(messages.map { .string($0) })])
    }
}
