import Foundation

extension BreatheSafeState {
    /// All measurements of a user, newest first, each with everything that was captured.
    func listMeasurements(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return .json(401, ["messages": ["Unauthorized."]]) }
        guard manages(manager, user) else { return .json(422, ["messages": ["Not managed by current user."]]) }
        let rows = measurements.filter { $0.user == user }.reversed()
        return .json(
            200,
            [
                "facial_measurements": .array(rows.map(\.json)), "recommender_measurements": [:], "recommender_measurements_camel": [:],
                "messages": [],
            ])
    }

    /// Stores a captured face; the only key that is looked at is `average_measurements`.
    mutating func addArkitMeasurement(to user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let arkit = try visit.required("arkit_data")
        let messages = ArkitValidation.messages(for: arkit)
        var row = BreatheSafeMeasurement(user: user, source: "arkit", arkit: arkit)
        guard messages.isEmpty else { return invalid(row, messages) }
        return store(&row, document: arkit, by: manager, at: visit.now)
    }

    /// Stores a measurement by hand; the row goes to the user of the body, whoever that is.
    mutating func addMeasurement(to user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let given = try visit.required("facial_measurement")
        guard let object = given.members else { throw .badRequest }
        var row = BreatheSafeMeasurement(
            user: object["user_id"]?.integer, source: object["source"]?.text, arkit: object["arkit"] ?? .null,
            values: BreatheSafeMeasurement.columnValues(of: object))
        guard let owner = row.user, users[owner] != nil else { return invalid(row, ["User must exist"]) }
        return store(&row, document: given, by: manager, at: visit.now)
    }

    /// Computes the five sums and stores nothing.
    func aggregateArkit(of user: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        func refused(_ status: Int, _ message: JSON) -> BreatheSafeReply {
            .json(status, ["aggregated": nil, "percent_complete": nil, "messages": [message]])
        }
        guard users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401, "Unauthorized.") }
        guard manages(manager, user) else { return refused(422, "Not managed by current user.") }
        let aggregate = ArkitAggregate(try visit.required("arkit"))
        return .json(
            200, ["aggregated": aggregate.sums, "percent_complete": .decimal(aggregate.percentComplete), "messages": []])
    }

    private mutating func store(
        _ row: inout BreatheSafeMeasurement, document: JSON, by manager: BreatheSafeUser, at now: Date
    ) -> BreatheSafeReply {
        row.id = nextID(of: "facial_measurements")
        row.createdAt = now
        measurements.append(row)
        let commit = Commit(
            resource: "facial_measurement", account: manager.id, user: row.user, remoteID: row.id,
            clientMutationID: document["client_mutation_id"]?.text, document: document)
        return .json(201, ["facial_measurement": row.json, "messages": []], commit: commit)
    }

    private func refused(_ status: Int, _ message: JSON) -> BreatheSafeReply {
        .json(status, ["facial_measurement": [:], "messages": [message]])
    }

    private func invalid(_ row: BreatheSafeMeasurement, _ messages: [String]) -> BreatheSafeReply {
        .json(422, ["facial_measurement": row.json, "messages": .array(messages.map { .string($0) })])
    }
}
