import Foundation
import JSON
import SyncModel

/// A field that takes a row's id also takes `@` and the id of an entry that creates such a row.
extension Backend {
    package func creates(route name: String) -> String? { profile.routes[name]?.rows.creates }

    package func changes(route name: String) -> String? { profile.routes[name]?.rows.changes }

    /// True if a delivery changes or deletes a row that is there already, so that the last one wins.
    package func altersRow(route name: String) -> Bool {
        guard let route = profile.routes[name] else { return false }
        return route.rows.changes != nil || route.deletion.deletes != nil || (route.deletion.row != nil && route.rows.creates == nil)
    }

    /// All routes that alter a row, which the last one in a lane wins; empty if this one alters none.
    package func altering(like name: String) -> Set<String> {
        altersRow(route: name) ? Set(routes.filter { altersRow(route: $0) }) : []
    }

    /// The fields whose values decide the lane of an entry.
    package func laneFields(route name: String) -> Set<String> { profile.routes[name]?.lane?.placeholders.itemFields ?? [] }

    package func then(route name: String) -> String? { profile.routes[name]?.rows.then }

    /// The only members of the payload; nil for any.
    package func form(route name: String) -> [String]? {
        profile.routes[name].flatMap { $0.rows.form.isEmpty ? nil : $0.rows.form }
    }

    package func actions(on resource: Resource) -> (add: String?, change: String?, delete: String?) {
        let add = routes.first { creates(route: $0) == resource.name }
        let change = add.flatMap(then(route:)) ?? routes.first { changes(route: $0) == resource.name }
        return (add, change, routes.first { deletes(route: $0) == resource.name })
    }

    /// The resources whose ids a field `user_id` takes.
    package var people: Set<String> {
        Set(routes.compactMap { subjectField(route: $0) }.filter { $0.field == "user_id" }.map(\.resource.name))
    }

    /// The fields with this id in the one that names the subject.
    package func fields(_ fields: [String: JSONValue], route name: String, as subject: RosterID) -> [String: JSONValue] {
        guard let field = subjectField(route: name)?.field else { return fields }
        return fields.merging([field: .string(subject.rawValue)]) { _, new in new }
    }

    /// The mutation with the server's id in place of the reference. Throws for an id of another type than the route declares.
    package func bound(_ mutation: Mutation, to id: RosterID) throws(Failure) -> Mutation {
        guard let route = profile.routes[mutation.route], let field = subjectField(route: mutation.route)?.field,
            mutation.fields[field]?.string.flatMap({ RosterID($0).reference }) != nil
        else {
            throw Failure(
                .profile, "The route \"\(mutation.route)\" of \(name) no longer has the field for the row that the entry refers to.")
        }
        let type = route.fields[field] ?? .text
        let value = type == .integer ? JSONValue(argument: id.rawValue) : .string(id.rawValue)
        guard type.accepts(value) else {
            throw Failure(
                .profile, "\(name) created a row with the id \(id.rawValue.prefix(100)), but the field \"\(field)\" takes \(type.expected)."
            )
        }
        var bound = mutation
        bound.fields[field] = value
        return bound
    }

    /// The server's id in an answer; for a created row, only one that later entries can refer to.
    func remoteID(_ value: JSONValue?, of route: Route) -> String? {
        guard let value, let id = value.identifier else { return nil }
        guard let resource = route.rows.creates.flatMap({ self.resource($0) }) else { return id }
        if let digits = value.wholeDigits {
            return FieldType.integer.accepts(.string(digits)) && (Int64(digits) != nil || !hasNumbers(resource)) ? digits : nil
        }
        let isListable = id.utf8.count <= Resource.mostIDBytes && !id.unicodeScalars.contains(where: \.isSteering)
        let isText = value.string != nil && FieldType.text.accepts(value) && RosterID(id).reference == nil
        return isText && isListable && !hasNumbers(resource) ? id : nil
    }

    /// True if entries refer to the rows of the resource by whole numbers.
    package func hasNumbers(_ resource: Resource) -> Bool { references(to: resource).contains { $0.type == FieldType.integer.rawValue } }

    /// False while the entry refers to a row that is not created yet.
    package func isBound(_ mutation: Mutation) -> Bool {
        let fields = profile.routes[mutation.route]?.references.map(\.field) ?? []
        let values = fields.compactMap { mutation.fields[$0]?.string }
        guard let subject = mutation.subject, subject.reference != nil else { return !values.contains { RosterID($0).reference != nil } }
        // Also if the profile no longer declares the field as a reference.
        return !mutation.fields.values.contains(.string(subject.rawValue))
    }
}

extension Resource {
    /// The parts of a new row's label, from the submitted payload or fields of the same names; nil for missing ones.
    package func labelParts(in mutation: Mutation) -> [JSONValue?] {
        let document = mutation.payload.map(JSONDocument.init(checked:))
        return label.map { pointer in
            if let value = document?.at(pointer) { return value }
            return pointer.tokens.count == 1 ? mutation.fields[pointer.tokens[0]] : nil
        }
    }

    /// One line; nil without texts and numbers.
    package func label(of parts: [JSONValue?]) -> String? { RosterRow.label(parts) }
}
