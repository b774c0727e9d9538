import Foundation
import JSON
import SyncModel

/// One loaded and checked profile: what a server wants, and what its answers mean. No I/O, no clock.
package struct Backend: Sendable {
    let profile: Profile

    init(_ profile: Profile) { self.profile = profile }

    package var name: String { profile.name }
    /// Without a slash at its end.
    package var baseURL: String { profile.baseURL }
    /// The whole base URL in the form in which addresses are compared: whose accounts these are.
    package var address: String { profile.address }
    /// Addresses that the profile declares to be the same service.
    package var formerAddresses: [String] { profile.formerAddresses }
    /// By what people sign in.
    package var signInMeans: SignInMeans { profile.auth.means }
    /// Whether people sign in with tokens of which the backend does not say whose they are: then the name given with one says it.
    package var needsNames: Bool { signInMeans == .token && !hasHealth }
    /// Whether somebody may sign in with a refresh token.
    package var takesRefreshTokens: Bool { profile.auth.refresh != nil }
    package var hasHealth: Bool { profile.health != nil }
    /// Whether it goes to the origin that alone gets the accounts' credentials.
    func isOwn(_ request: OutboundRequest) -> Bool { Origin(request.url) == profile.origin }
    /// The names of the declared routes, sorted: nothing else can be sent.
    package var routes: [String] { profile.routes.keys.sorted() }
    /// What the profile wants done with a person's entries when they sign out.
    package var outboxOnSignOut: OutboxOnSignOut { profile.auth.logout.outbox }
    /// Whether a session that nobody uses has to be renewed now and then.
    package var keepsAlive: Bool { profile.auth.keepalive != nil }
    /// Whether the server is sent an idempotency key.
    package var sendsKeys: Bool { profile.idempotency != nil }

    /// How long the server remembers an idempotency key; nil where it is sent none, or remembers for ever.
    package var keyLifetime: Duration? { profile.idempotency?.keyLifetime }

    /// The longest that any of its requests may take by the profile, where it says so at all.
    package var longestRequest: Duration? { profile.routes.values.compactMap(\.request.timeout).max() }

    /// The profile as a JSON document, with what it extends laid under it; its templates and pointers are as they are written.
    package var document: Data { profile.source.json.serialized }

    /// The dotted keys by which two versions of a profile differ, sorted; not their values, which may be secrets.
    package func keysChanged(since earlier: Backend) -> [String] { profile.source.keysDiffering(from: earlier.profile.source) }

    /// The key of order for such an item: the route's lane template, or else the route's name.
    package func lane(route name: String, fields: [String: JSONValue]) throws(Failure) -> Lane {
        let route = try route(name)
        guard let lane = route.lane else { return Lane(name) }
        return Lane(try lane.render(.of(.draft(self, name, fields, nil))))
    }

    /// The lane whose earlier entries have to be delivered before such an item is sent; nil for none.
    package func after(route name: String, fields: [String: JSONValue]) throws(Failure) -> Lane? {
        guard let after = try route(name).after else { return nil }
        return Lane(try after.render(.of(.draft(self, name, fields, nil))))
    }

    /// Whether a dead or held entry of this route stops its lane; an unknown route halts.
    package func onDead(route name: String) -> Mutation.OnDead { profile.routes[name]?.onDead ?? .halt }

    /// Whether a mutation that may have arrived can be looked for.
    package func canLookUp(route name: String) -> Bool { profile.routes[name]?.find != nil }

    /// The names of the routes by which a mutation can be looked for.
    package var routesWithLookUp: Set<String> { Set(profile.routes.values.filter { $0.find != nil }.map(\.name)) }

    /// Whether the route leads to another server than the rest of the backend.
    package func isElsewhere(route name: String) -> Bool {
        profile.routes[name].map { Origin($0.request.url.literalURL) != profile.origin } ?? false
    }

    /// Whether several sends of the route have one effect, for ever: by its method (RFC 9110 9.2.2), or as the profile says.
    package func isIdempotent(route name: String) -> Bool {
        profile.routes[name].map { ["PUT", "DELETE"].contains($0.request.method) || $0.delivery == .repeatable } ?? false
    }

    /// Whether sending twice is worse than not sending.
    package func isAtMostOnce(route name: String) -> Bool { profile.routes[name]?.delivery == .atMostOnce }

    func route(_ name: String) throws(Failure) -> Route {
        guard let route = profile.routes[name] else {
            throw Failure(
                .profile, "The backend \"\(self.name)\" has no route \"\(name)\". It has: \(routes.joined(separator: ", ")).")
        }
        return route
    }
}

extension Mutation {
    /// A mutation that is not there yet, to try templates with.
    static func draft(_ backend: Backend, _ route: String, _ fields: [String: JSONValue], _ payload: Data?) -> Mutation {
        var generator = SystemRandomNumberGenerator()
        let epoch = Date(timeIntervalSince1970: 0)
        return Mutation(
            id: MutationID(at: epoch, using: &generator), destination: Destination(backend: backend.name, account: ""), lane: Lane(""),
            route: route, fields: fields, payload: payload, capturedAt: epoch)
    }
}
