import Foundation
import JSON
import SyncModel

/// A validated profile: builds requests and interprets answers. No I/O, no clock.
package final class Backend: Sendable {
    package let profile: Profile
    /// The declared routes, sorted.
    package let routes: [String]
    private let onDead: [String: Mutation.OnDead]
    /// The routes that delete rows, by resource.
    let deletions: [String: [String]]
    let trials = Trials()

    init(_ profile: Profile) {
        self.profile = profile
        routes = profile.routes.keys.sorted()
        onDead = profile.routes.mapValues { Self.onDead($0, in: profile) }
        deletions = routes.reduce(into: [:]) { deletions, route in
            if let resource = profile.routes[route]?.deletion.deletes { deletions[resource, default: []].append(route) }
        }
    }

    package var name: String { profile.name }
    /// Without a trailing slash.
    package var baseURL: String { profile.baseURL }
    /// Canonical; identifies the service that the accounts belong to.
    package var address: String { profile.address }
    package var formerAddresses: [String] { profile.formerAddresses }
    package var signInMeans: SignInMeans { profile.auth.means }
    /// True if people must give a name at sign-in, because nothing else names the account.
    package var needsNames: Bool { signInMeans == .token && !hasHealth }
    package var takesRefreshTokens: Bool { profile.auth.refresh != nil }
    package var hasHealth: Bool { profile.health != nil }
    /// True for the only origin that may receive credentials.
    package func isOwn(_ request: OutboundRequest) -> Bool { profile.origin.isOrigin(of: request.url) }
    package var outboxOnSignOut: OutboxOnSignOut { profile.auth.logout.outbox }
    package var keepsAlive: Bool { profile.auth.keepalive != nil }
    package var sendsKeys: Bool { profile.idempotency != nil }

    /// Nil without keys, or if they never expire.
    package var keyLifetime: Duration? { profile.idempotency?.keyLifetime }

    package var longestRequest: Duration? { profile.routes.values.compactMap(\.request.timeout).max() }

    /// The merged profile, with templates and pointers as written.
    package var document: Data { profile.source.json.serialized }

    /// The keys that differ, sorted; without the values, which may be secrets.
    package func keysChanged(since earlier: Backend) -> [String] { profile.source.keysDiffering(from: earlier.profile.source) }

    /// The lane by the route's template, or the route's name. `id` is nil only for a trial.
    package func lane(route name: String, fields: [String: JSONValue], id: MutationID? = nil) throws(Failure) -> Lane {
        let route = try route(name)
        guard let lane = route.lane else { return Lane(name) }
        return Lane(try lane.render(.of(.draft(self, name, fields, nil, id: id))))
    }

    /// The lane to deliver first; nil for none.
    package func after(route name: String, fields: [String: JSONValue], id: MutationID? = nil) throws(Failure) -> Lane? {
        guard let after = try route(name).after else { return nil }
        return Lane(try after.render(.of(.draft(self, name, fields, nil, id: id))))
    }

    /// Entries of the lane that `after` names need only be tried first.
    package func goesBehind(route name: String) -> Bool { profile.routes[name]?.isBehind ?? false }

    /// The route's rule; an unknown route halts. A lane named in `after` keeps its order, because the order is data there
    /// (BlameByContrast).
    package func onDead(route name: String) -> Mutation.OnDead { onDead[name] ?? .halt }

    private static func onDead(_ route: Route, in profile: Profile) -> Mutation.OnDead {
        guard route.onDead == .skip else { return .halt }
        let lane = (route.lane ?? TextTemplate(literal: route.name)).literals
        return profile.routes.values.contains { !$0.isBehind && $0.after?.literals == lane } ? .skipFailed : .skip
    }

    package func canLookUp(route name: String) -> Bool { profile.routes[name]?.find != nil }

    package var routesWithLookUp: Set<String> { Set(profile.routes.values.filter { $0.find != nil }.map(\.name)) }

    /// Each try first reads the row that it deletes, so a surplus try is harmless.
    package var routesThatReread: Set<String> {
        Set(routes.filter { deletes(route: $0) != nil && freshResource(route: $0) != nil && isIdempotent(route: $0) })
    }

    package func title(route name: String) -> Resource.Title? { profile.routes[name]?.title }

    /// True when the route leads to another server than the rest of the backend.
    package func isElsewhere(route name: String) -> Bool {
        profile.routes[name].map { !profile.origin.isOrigin(of: $0.request.url.literalURL) } ?? false
    }

    /// True when several sends have one effect, by method (RFC 9110 9.2.2) or by declaration.
    package func isIdempotent(route name: String) -> Bool {
        profile.routes[name].map { ["PUT", "DELETE"].contains($0.request.method) || $0.delivery == .repeatable } ?? false
    }

    /// The properties that decide whether a send is repeated.
    package func traits(route name: String) -> RouteTraits {
        RouteTraits(
            canLookUp: canLookUp(route: name), isAtMostOnce: isAtMostOnce(route: name),
            isRepeatable: isIdempotent(route: name) || sendsKeys, isElsewhere: isElsewhere(route: name))
    }

    package func isAtMostOnce(route name: String) -> Bool { profile.routes[name]?.delivery == .atMostOnce }

    func route(_ name: String) throws(Failure) -> Route {
        guard let route = profile.routes[name] else {
            throw Failure(
                .profile, "The backend \"\(self.name)\" has no route \"\(name)\". Its routes are: \(routes.joined(separator: ", ")).")
        }
        return route
    }
}

extension Mutation {
    /// A mutation for trying templates.
    static func draft(
        _ backend: Backend, _ route: String, _ fields: [String: JSONValue], _ payload: Data?, id: MutationID? = nil
    ) -> Mutation {
        Mutation(
            id: id ?? trialID, destination: Destination(backend: backend.name, account: ""), lane: Lane(""),
            route: route, fields: fields, payload: payload, capturedAt: Date(timeIntervalSince1970: 0))
    }

    private static let trialID: MutationID = {
        var generator = SystemRandomNumberGenerator()
        return MutationID(at: Date(timeIntervalSince1970: 0), using: &generator)
    }()
}
