import Foundation
import JSON
import SyncModel

/// The result of a search for the one row that an entry is about.
package enum FreshRow: Equatable, Sendable {
    case one(RosterRow)
    case absent
    /// The entry must not be sent: there is more than one, or the row has no usable value for the request.
    case unfit(Failure)
    /// A row lacks a value that is compared, so an absence would prove nothing.
    case unreadable(Failure)
}

extension Backend {
    /// The resource of which a delivery deletes the row that the entry refers to; nil for none.
    package func deletes(route name: String) -> String? { profile.routes[name]?.deletion.deletes }

    /// Whether a person must confirm an entry of this route before it is accepted.
    package func needsConfirmation(route name: String) -> Bool { profile.routes[name]?.deletion.confirm ?? false }

    /// The resource that is read just before each send; nil for none.
    package func freshResource(route name: String) -> Resource? {
        profile.routes[name]?.deletion.row.flatMap { resource($0.resource) }
    }

    /// Whether an entry without its row counts as delivered.
    package func isDoneIfAbsent(route name: String) -> Bool { profile.routes[name]?.deletion.row?.absentIsDone ?? false }

    /// Whether all earlier entries with the same subject go first.
    package func goesAfterSubject(route name: String) -> Bool { profile.routes[name]?.afterSubject ?? false }

    /// The row that the entry is about, in all rows of `freshResource`. Throws if the route no longer has one.
    package func row(for mutation: Mutation, in rows: [RosterRow]) throws(Failure) -> FreshRow {
        guard let rule = try route(mutation.route).deletion.row, let resource = resource(rule.resource) else {
            throw Failure(.profile, "The route \"\(mutation.route)\" of \(name) no longer says which row to look for.")
        }
        var wanted: [[UInt8]] = []
        for condition in rule.conditions { wanted.append(Array(try condition.value.render(.of(mutation)).utf8)) }
        var found: [RosterRow] = []
        for row in rows {
            let values = rule.conditions.compactMap { resource.value(at: $0.pointer, of: row)?.identifier.map { Array($0.utf8) } }
            guard values.count == wanted.count else {
                let message = "\(name) listed a \(resource.title.one) without the values that identify it, so Homing sends nothing."
                return .unreadable(Failure(.profile, message))
            }
            if values == wanted { found.append(row) }
        }
        guard let row = found.first else { return .absent }
        guard found.count == 1 else {
            let message = "\(found.count) \(resource.title.many) at \(name) fit this entry, so it is not known which one is meant."
            return .unfit(Failure(.profile, message))
        }
        do { _ = try values(of: row, route: mutation.route) } catch { return .unfit(error) }
        return .one(row)
    }

    /// For the placeholders of the request. Throws for a value that is no id. If the entry takes a number, so must the row: a server may read a text
    /// only up to the first character that is no digit, and take another row.
    func values(of row: RosterRow, route name: String) throws(Failure) -> [String: JSONValue] {
        let route = try route(name)
        guard let rule = route.deletion.row, let resource = resource(rule.resource) else { return [:] }
        let takesText = route.references.first.map { route.fields[$0.field] != .integer } ?? true
        var values: [String: JSONValue] = [:]
        for placeholder in route.request.placeholders {
            guard let pointer = placeholder.rowPointer else { continue }
            let value = resource.value(at: pointer, of: row)
            guard let value,
                FieldType.integer.accepts(value) || takesText && value.string.map({ FieldType.text.accepts(.string($0)) }) == true
            else {
                throw Failure(
                    .profile, "\(self.name) listed the \(resource.title.one) with a value at \(pointer) that is not an id.")
            }
            values[placeholder.name] = value
        }
        return values
    }

    /// A request that is never sent, to try the templates.
    func trialRequest(for mutation: Mutation) throws(Failure) -> OutboundRequest {
        var values = TemplateValues.of(mutation)
        let route = try route(mutation.route)
        for placeholder in route.request.placeholders where placeholder.rowPointer != nil { values.inputs[placeholder.name] = .int(1) }
        if let conditions = route.deletion.row?.conditions {
            for condition in conditions { _ = try condition.value.render(values) }
        }
        return try request(for: mutation, values)
    }
}

extension Resource {
    /// Of the values that are kept.
    fileprivate func value(at pointer: JSONPointer, of row: RosterRow) -> JSONValue? {
        if let index = keep.firstIndex(of: pointer), row.kept.indices.contains(index) { return row.kept[index] }
        return pointer == id ? .string(row.id.rawValue) : nil
    }
}
