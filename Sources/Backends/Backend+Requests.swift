import Foundation
import JSON
import SyncModel

extension Backend {
    /// The fields with the types that the route declares; undeclared ones stay texts.
    package func fields(_ texts: [String: String], route name: String) -> [String: JSONValue] {
        let types = profile.routes[name]?.fields ?? [:]
        let references = Set(profile.routes[name]?.references.map(\.field) ?? [])
        let values = texts.map { field, text -> (String, JSONValue) in
            if references.contains(field), let reference = RosterID(reference: text) { return (field, .string(reference.rawValue)) }
            return (field, types[field] == .integer ? JSONValue(argument: text) : .string(text))
        }
        return Dictionary(uniqueKeysWithValues: values)
    }

    /// Routes for the drop folder: they take a payload and no item field but `user_id`.
    package var routesForFiles: [String] {
        // `try?`: using such a route reports its error.
        let fields: [String: JSONValue] = ["user_id": .int(1)]
        return routes.filter { route in
            (try? checkFields(route: route, fields: fields, payload: Data("{}".utf8))) != nil
                && (try? lane(route: route, fields: fields)) != nil
        }
    }

    /// Throws if the item could never become a request.
    package func check(route name: String, fields: [String: JSONValue], payload: Data?) throws(Failure) {
        guard let (document, levels) = try checkFields(route: name, fields: fields, payload: payload) else { return }
        let route = try route(name)
        if let limit = route.mostLevels, levels > limit {
            throw Failure(
                .profile,
                "The payload has more than \(limit) levels of lists and objects, the limit of \(self.name). It was not accepted."
            )
        }
        if let key = route.request.json?.payloadMarker, document.root.members.contains(where: { $0.name == key }) {
            throw Failure(
                .profile,
                "The payload contains \"\(key)\", which Homing adds itself to find the entry at the backend. Remove it and submit the payload again."
            )
        }
        if let missing = route.requires.first(where: { !document.has($0) }) {
            throw Failure(
                .profile,
                "The payload lacks \(missing), which the route \"\(name)\" requires. Submit the complete capture.")
        }
        try route.checkForm(document)
        if let resource = route.rows.changes.flatMap(self.resource) { try route.checkNames(document, fields, of: resource) }
    }

    private typealias Content = (document: JSONDocument, levels: Int)

    /// Like `check`, but returns the payload without checking its content.
    private func checkFields(route name: String, fields: [String: JSONValue], payload: Data?) throws(Failure) -> Content? {
        let route = try route(name)
        try route.check(fields)
        let body = route.request.json
        var content: Content?
        if let payload {
            guard let body, body.takesPayload else {
                throw Failure(.profile, "The route \"\(name)\" takes no payload. Submit only the fields, with ‘--no-document’.")
            }
            content = try Self.checkJSON(payload, isObject: body.payloadMarker != nil, route: name)
        }
        try trials.run(name, fields, hasPayload: payload != nil) { () throws(Failure) in
            // The payload is inserted unchanged, so a placeholder will do.
            let draft = Mutation.draft(self, name, fields, payload.map { _ in Data("{}".utf8) })
            _ = try trialRequest(for: draft)
            _ = try lookup(for: draft)
        }
        return content
    }

    /// The error if an accepted entry no longer fits its profile.
    package func misfit(of mutation: Mutation) -> Failure? {
        do {
            _ = try trialRequest(for: mutation)
            _ = try lookup(for: mutation)
            try checkValues(of: mutation)
            return nil
        } catch {
            return error
        }
    }

    /// Throws if the profile has changed and takes other values than those of an accepted entry: in its fields, or in the members of a form.
    package func checkValues(of mutation: Mutation) throws(Failure) {
        let route = try route(mutation.route)
        try route.checkTypes(mutation.fields)
        if let payload = mutation.payload { try route.checkForm(JSONDocument(checked: payload)) }
    }

    /// By route: marker and pointer that identify an entry in a look-up.
    package var matches: [String: String] {
        profile.routes.mapValues { route in route.find.map { "\(route.request.json?.payloadMarker ?? "") \($0.match)" } ?? "" }
    }

    /// Fields that people recognize the entry by: those in the URL or lane, never those sent in a body.
    package func identifyingFields(of fields: [String: JSONValue], route name: String) -> [String: String] {
        guard let route = profile.routes[name] else { return [:] }
        let names = Route.identifyingFields(route.request, route.lane)
        return fields.filter { names.contains($0.key) }.compactMapValues(\.text)
    }

    /// The request without credentials; the same entry gives the same bytes. `row` is the fresh row of a route with `row`; without it,
    /// throws if the request needs one.
    package func request(for mutation: Mutation, row: RosterRow? = nil) throws(Failure) -> OutboundRequest {
        var values = TemplateValues.of(mutation)
        if let row { values.inputs = try self.values(of: row, route: mutation.route) }
        return try request(for: mutation, values)
    }

    func request(for mutation: Mutation, _ values: TemplateValues) throws(Failure) -> OutboundRequest {
        let route = try route(mutation.route)
        let template = route.request
        // Otherwise a success would count as delivery of an unsent payload.
        if mutation.payload != nil, template.json?.takesPayload != true {
            throw Failure(
                .profile,
                "The entry has a payload, but the route \"\(mutation.route)\" does not send one. Put {item.payload} into its json.")
        }
        var request = try template.render(values)
        if let rules = profile.idempotency {
            request.setHeader(rules.header, rules.isQuoted ? "\"\(mutation.id)\"" : mutation.id.description)
        }
        let traits = traits(route: mutation.route)
        request.isReusing = !traits.isAtMostOnce && !traits.isBlind
        request.isCompressible = route.compress == .gzip
        return request
    }

    /// Nil without look-up.
    package func lookup(for mutation: Mutation, page: Int = 1) throws(Failure) -> OutboundRequest? {
        guard let find = try route(mutation.route).find else { return nil }
        var request = try find.request.render(.of(mutation))
        if let pages = find.pages { request.url = pages.added(to: request.url, page: page) }
        return request
    }

    private static func checkJSON(_ payload: Data, isObject: Bool, route: String) throws(Failure) -> Content {
        let content: Content
        do throws(JSONFlaw) {
            content = try JSONSyntax.document(payload)
        } catch {
            if case .tooDeep = error {
                throw Failure(.profile, "The JSON is nested too deeply: more than \(JSONSyntax.mostLevels) levels.")
            }
            let flaw = JSONSyntax.encodingFlaw(payload) ?? error.description
            throw Failure(.profile, "The payload for the route \"\(route)\" is not a JSON document in UTF-8: \(flaw).")
        }
        guard !isObject || content.document.root.kind == .object else {
            throw Failure(.profile, "The payload for the route \"\(route)\" must be a JSON object.")
        }
        return content
    }
}
