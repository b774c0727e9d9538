import Foundation
import JSON
import SyncModel

/// The result of a search for an entry's row.
package enum FreshRow: Equatable, Sendable {
    case one(RosterRow)
    case absent
    /// Must not be sent: there are several rows, or one without a usable value for the request.
    case unfit(Failure)
    /// A row lacks a compared value, so an absence would prove nothing.
    case unreadable(Failure)
}

extension Backend {
    package func deletes(route name: String) -> String? { profile.routes[name]?.deletion.deletes }

    /// The routes that delete a row of the resource.
    package func deletions(of resource: Resource) -> [String] { deletions[resource.name] ?? [] }

    package func needsConfirmation(route name: String) -> Bool { profile.routes[name]?.deletion.confirm ?? false }

    /// The resource that is read just before each send.
    package func freshResource(route name: String) -> Resource? {
        profile.routes[name]?.deletion.row.flatMap { resource($0.resource) }
    }

    /// True if an entry without its row counts as delivered.
    package func isDoneIfAbsent(route name: String) -> Bool { profile.routes[name]?.deletion.row?.absentIsDone ?? false }

    /// True if all earlier entries with the same subject go first.
    package func goesAfterSubject(route name: String) -> Bool { profile.routes[name]?.afterSubject ?? false }

    /// The entry's row among all rows of `freshResource`. Throws if the route no longer has one.
    package func row(for mutation: Mutation, in rows: [RosterRow]) throws(Failure) -> FreshRow {
        let route = try route(mutation.route)
        guard let rule = route.deletion.row, let resource = resource(rule.resource) else {
            throw Failure(.profile, "The route \"\(mutation.route)\" of \(name) no longer says which row to look for.")
        }
        var wanted: [WantedValue] = []
        for condition in rule.conditions { wanted.append(try WantedValue(condition.pointer, condition.value, of: mutation, route)) }
        var (same, similar, isUnreadable) = ([RosterRow](), [RosterRow](), false)
        for row in rows {
            switch wanted.likeness(of: row, resource) {
            case .same: same.append(row)
            case .similar: similar.append(row)
            case .other: break
            case nil: isUnreadable = true
            }
        }
        // A server may tell similar texts apart, but has each number only once.
        let fitting = same.isEmpty || wanted.contains(where: \.isNumber) ? same + similar : same
        if fitting.count > 1 { return .unfit(several(fitting, of: resource, route)) }
        if same.isEmpty, let row = similar.first { return .unfit(doubtful(row, of: resource, route, wanted)) }
        guard !isUnreadable else {
            let message = "\(name) listed a \(resource.title.one) without the values that identify it, so Homing sends nothing."
            return .unreadable(Failure(.profile, message))
        }
        guard let row = same.first else { return .absent }
        do { _ = try values(of: row, route: mutation.route) } catch { return .unfit(error) }
        return .one(row)
    }

    /// Names the rows by their ids, because Homing stores no names with an entry.
    private func several(_ rows: [RosterRow], of resource: Resource, _ route: Route) -> Failure {
        let ids = rows.prefix(5).map { $0.number(in: resource, route) }.joined(separator: ", ")
        let message = "\(rows.count) \(resource.title.many) at \(name) fit this entry (rows \(ids)), so it is not known which one is meant."
        return Failure(.profile, "\(message) \(route.deletion.nothingDone)")
    }

    private func doubtful(_ row: RosterRow, of resource: Resource, _ route: Route, _ wanted: [WantedValue]) -> Failure {
        let value = wanted.first { $0.likeness(of: row, resource) == .similar }
        let found = value.flatMap { resource.value(at: $0.pointer, of: row) }.map { String(decoding: $0.serialized, as: UTF8.self).excerpt }
        let message =
            "\(name) lists a \(resource.title.one) (row \(row.number(in: resource, route))) with \(found ?? "a value") at \(value?.pointer.description ?? ""), which may be another spelling of \(value?.id.excerpt ?? "the id")."
        return Failure(.profile, "\(message) \(route.deletion.nothingDone)")
    }

    /// Throws for a value that is no id. If the entry takes a number, so must the row: a server may read only the leading digits of a text,
    /// and take another row.
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

/// The value that one condition in `where` requires.
private struct WantedValue {
    let pointer: JSONPointer
    let id: String
    /// The id is a field of the type integer, and nothing else.
    let isNumber: Bool

    init(_ pointer: JSONPointer, _ template: TextTemplate, of mutation: Mutation, _ route: Route) throws(Failure) {
        self.pointer = pointer
        id = try template.render(.of(mutation))
        isNumber = template.solePlaceholder?.field.flatMap { route.fields[$0] } == .integer
    }

    /// Nil if the row lacks the value.
    func likeness(of row: RosterRow, _ resource: Resource) -> Likeness? {
        guard let value = resource.value(at: pointer, of: row), value.identifier != nil else { return nil }
        // The type of an id that is not kept is unknown.
        let isUntyped = isNumber && !resource.keep.contains(pointer)
        return (isUntyped ? JSONValue(argument: row.id.rawValue) : value).likeness(to: id, isNumber: isNumber)
    }
}

extension [WantedValue] {
    /// The likeness of the least similar value; nil if the row lacks one.
    fileprivate func likeness(of row: RosterRow, _ resource: Resource) -> Likeness? {
        var least = Likeness.same
        for value in self {
            guard let likeness = value.likeness(of: row, resource) else { return nil }
            least = Swift.min(least, likeness)
        }
        return least
    }
}

extension Resource {
    /// The kept value at `pointer`.
    fileprivate func value(at pointer: JSONPointer, of row: RosterRow) -> JSONValue? {
        if let index = keep.firstIndex(of: pointer), row.kept.indices.contains(index) { return row.kept[index] }
        return pointer == id ? .string(row.id.rawValue) : nil
    }
}

extension RosterRow {
    /// The value that the request would name it by, or its id.
    fileprivate func number(in resource: Resource, _ route: Route) -> String {
        let pointer = route.request.placeholders.lazy.compactMap(\.rowPointer).first
        return (pointer.flatMap { resource.value(at: $0, of: self)?.text } ?? id.rawValue).excerpt
    }
}

extension Route.Deletion {
    fileprivate var nothingDone: String { deletes == nil ? "Nothing was sent." : "Nothing was deleted." }
}

extension String {
    fileprivate var excerpt: String { String(prefix(40)).legible }
}
