import Foundation

extension BreatheSafeState {
    func listFitTests(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard let manager = visit.user else {
            return .json(401, ["fit_tests": [], "tested_and_untested": [], "messages": ["Unauthorized."]])
        }
        let rows = fitTests.filter { manages(manager, $0.user) && isListed($0.createdAt, at: visit.now) }.map(listed)
        return .json(200, ["fit_tests": .array(rows), "tested_and_untested": [], "messages": []])
    }

    /// Stores a fit test with the user's newest measurement; 500 for an unknown mask or long notes.
    mutating func addFitTest(_ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        func refused(_ status: Int) -> BreatheSafeReply { .json(status, ["fit_test": [:], "messages": ["Unauthorized."]]) }
        let owner = try visit.required("user")
        guard owner.members != nil else { throw .internalError }
        guard let user = owner["id"]?.rowID, users[user] != nil else { throw .notFound }
        guard let manager = visit.user else { return refused(401) }
        guard manages(manager, user) else { return refused(422) }
        let given = try visit.required("fit_test")
        var values = try changed([:], by: given)
        if values["results"]?.isBlank != false { values["results"] = Self.emptyResults }
        let row = add(values, of: user, at: visit.now)
        return .json(201, ["fit_test": row.json, "messages": []], commit: commit(row, by: manager, document: given))
    }

    /// Changes a fit test; the response has no body.
    mutating func changeFitTest(_ id: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let place = fitTests.firstIndex(where: { $0.id == id }) else { throw .notFound }
        guard let manager = visit.user, manages(manager, fitTests[place].user) else { return unauthorized }
        let given = try visit.required("fit_test")
        fitTests[place].values = try changed(fitTests[place].values, by: given)
        fitTests[place].updatedAt = visit.now
        return BreatheSafeReply(response: SandboxResponse(status: 204), commit: commit(fitTests[place], by: manager, document: given))
    }

    /// Deletes a fit test; 500 if it was cloned.
    mutating func deleteFitTest(_ id: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let place = fitTests.firstIndex(where: { $0.id == id }) else { throw .notFound }
        guard let manager = visit.user, manages(manager, fitTests[place].user) else { return unauthorized }
        guard !isCloned(fitTests[place]) else { throw .internalError }
        let row = fitTests.remove(at: place)
        return .json(200, ["messages": []], commit: commit(row, by: manager, document: nil))
    }

    /// Copies a fit test, with the user's newest measurement.
    mutating func cloneFitTest(_ id: Int, _ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let original = fitTests.first(where: { $0.id == id }) else { throw .notFound }
        guard let manager = visit.user, manages(manager, original.user) else { return unauthorized }
        let row = add(original.values, of: original.user, source: original.id, at: visit.now)
        return .json(201, ["fit_test": row.json, "messages": []], commit: commit(row, by: manager, document: .object(row.values)))
    }

    func isCloned(_ row: BreatheSafeFitTest) -> Bool { fitTests.contains { $0.source == row.id } }

    private var unauthorized: BreatheSafeReply { .json(401, ["messages": ["Unauthorized."]]) }

    private mutating func add(_ values: JSONObject, of user: Int, source: Int? = nil, at now: Date) -> BreatheSafeFitTest {
        let row = BreatheSafeFitTest(
            id: nextID(of: "fit_tests"), user: user, measurement: measurements.last { $0.user == user }?.id, source: source, createdAt: now,
            updatedAt: now, values: values)
        fitTests.append(row)
        return row
    }

    private func changed(_ values: JSONObject, by given: JSON) throws(RailsException) -> JSONObject {
        guard let changes = given.members else { throw .internalError }
        let values = BreatheSafeFitTest.columns.merging(values) { $1 }.merging(BreatheSafeFitTest.permitted(changes)) { $1 }
        let mask = values["mask_id"] ?? .null
        guard mask == .null || masks.contains(where: { $0.id == mask.rowID }) else { throw .internalError }
        guard (values["notes"]?.text?.unicodeScalars.count ?? 0) <= BreatheSafeFitTest.longestNotes else { throw .internalError }
        return values
    }

    private func commit(_ row: BreatheSafeFitTest, by manager: BreatheSafeUser, document: JSON?) -> Commit {
        manager.commit("fit_test", of: row.user, row.id, document)
    }

    private func listed(_ row: BreatheSafeFitTest) -> JSON {
        let mask = masks.first { $0.id == row.values["mask_id"]?.rowID }?.json
        let measurement = measurements.first { $0.id == row.measurement && row.measurement != nil }
        var object: JSONObject = [
            "id": .int(row.id), "user_id": .int(row.user), "facial_measurement_id": .integer(row.measurement),
            "created_at": .string(row.createdAt.railsTimestamp), "updated_at": .string(row.updatedAt.railsTimestamp),
            "first_name": profiles[row.user]?.values["first_name"] ?? .null,
            "last_name": profiles[row.user]?.values["last_name"] ?? .null, "fm_user_id": .integer(measurement?.user),
            "image_urls": mask?["image_urls"] ?? [],
        ]
        for name in ["mask_id", "quantitative_fit_testing_device_id", "mask_modded", "notes", "procedure"] {
            object[name] = row.values[name] ?? .null
        }
        for name in ["facial_hair", "comfort", "results", "user_seal_check"] {
            let value = row.values[name] ?? .null
            object[name] = value == .null ? [:] : value
        }
        for name in ["unique_internal_model_code", "has_exhalation_valve", "strap_type", "style", "perimeter_mm", "colors"] {
            object[name] = mask?[name] ?? .null
        }
        object["facialMeasurementPresence"] = measurement == nil ? "Completely missing" : "Partially missing"
        for column in BreatheSafeMeasurement.columns { object["\(column)_present"] = measurement?.values[column] == nil ? 0 : 1 }
        return .object(object)
    }

    /// The masks, 12 per page by default; needs no sign-in.
    func listMasks(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        Page(of: visit, usually: 12).reply("masks", masks, \.listed)
    }

    /// Adds a mask; 422 if its code exists.
    mutating func addMask(_ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let author = visit.user else { return .json(401, ["mask": [:], "messages": ["Unauthorized."]]) }
        let given = try visit.required("mask")
        guard let code = given["unique_internal_model_code"]?.text, !masks.contains(where: { $0.code == code }) else {
            throw .unprocessable
        }
        var mask = BreatheSafeMask(id: nextID(of: "masks"), code: code, author: author.id, createdAt: visit.now)
        for name in ["filter_type", "style", "strap_type", "notes"] { mask.values[name] = given[name] }
        masks.append(mask)
        return .json(
            201, ["mask": mask.json, "messages": []],
            commit: Commit(resource: "mask", account: author.id, user: nil, remoteID: mask.id, document: given))
    }
}
