/// One simulated route of BreatheSafe with its controller.
struct BreatheSafeRoute: Sendable {
    typealias Controller = @Sendable (inout BreatheSafeState, inout BreatheSafeVisit) throws -> BreatheSafeReply

    enum Trait: Sendable {
        case needsCSRFToken
        /// Devise skips its idle timeout for signing in and out.
        case ignoresIdleTimeout
        /// The route also has an HTML response; controllers only render JSON.
        case hasPage
    }

    /// `*` is any method.
    private let method: String
    /// The first and second component and the rest; `#` is a row number.
    private let names: [String]
    let traits: Set<Trait>
    let controller: Controller

    private init(_ line: String, _ traits: Set<Trait> = [], _ controller: @escaping Controller) {
        let words = line.split(separator: " ").map(String.init)
        method = words[0]
        names = words[1].split(separator: "/", maxSplits: 2).map(String.init)
        self.traits = traits
        self.controller = controller
    }

    var isLogIn: Bool { names == ["users", "log_in"] }

    private func isMeant(by method: String, _ path: [String]) -> Bool {
        guard self.method == method || self.method == "*" else { return false }
        guard names.count > 1, names[1] == "#" else { return path == names }
        let rest = path.dropFirst(2).joined(separator: "/")
        return path.count > 1 && path[0] == names[0] && rest == names.dropFirst(2).joined(separator: "/")
    }

    /// The row number is parsed like Ruby's `to_i`; 0 matches no row. Nil if Rails has no such route.
    static func find(_ request: SandboxRequest) -> (route: BreatheSafeRoute, number: Int)? {
        var path = request.decodedSegments
        if let last = path.last, last.hasSuffix(".json") { path[path.count - 1] = String(last.dropLast(5)) }
        guard let route = all.first(where: { $0.isMeant(by: request.method, path) }) else { return nil }
        return (route, path.count > 1 ? path[1].rubyInteger : 0)
    }

    private static let all = [
        BreatheSafeRoute("GET /", [.hasPage]) { _, _ in BreatheSafeReply(response: .html(200, title: "Breathesafe")) },
        BreatheSafeRoute("POST /users/log_in", [.ignoresIdleTimeout, .hasPage]) { try $0.logIn(&$1) },
        BreatheSafeRoute("DELETE /users/log_out", [.ignoresIdleTimeout, .hasPage]) { $0.logOut(&$1) },
        BreatheSafeRoute("GET /users/get_current_user") { $0.currentUser($1) },
        BreatheSafeRoute("GET /csrf_token") { $0.csrfToken(&$1) },
        BreatheSafeRoute("* /users/sign_in", [.hasPage]) { _, visit in
            throw visit.request.method == "GET" ? RailsException.internalError : .unprocessable
        },
        BreatheSafeRoute("GET /managed_users") { $0.listManagedUsers($1) },
        BreatheSafeRoute("POST /managed_users", [.needsCSRFToken]) { $0.addManagedUser($1) },
        BreatheSafeRoute("GET /managed_users/facial_measurements") { $0.listNewestMeasurements($1) },
        BreatheSafeRoute("GET /managed_users/#") { $0.managedUser($1.number, $1) },
        BreatheSafeRoute("DELETE /managed_users/#", [.needsCSRFToken]) { $0.deleteManagedUser($1.number, $1) },
        BreatheSafeRoute("GET /users/#/facial_measurements") { try $0.listMeasurements(of: $1.number, $1) },
        BreatheSafeRoute("POST /users/#/facial_measurements") { try $0.addMeasurement(to: $1.number, $1) },
        BreatheSafeRoute("POST /users/#/facial_measurements_from_arkit") { try $0.addArkitMeasurement(to: $1.number, $1) },
        BreatheSafeRoute("POST /users/#/facial_measurements/aggregate_arkit") { try $0.aggregateArkit(of: $1.number, $1) },
        BreatheSafeRoute("GET /users/#/profile") { try $0.showProfile(of: $1.number, $1) },
        BreatheSafeRoute("PUT /users/#/profile") { try $0.changeProfile(of: $1.number, $1) },
        BreatheSafeRoute("PATCH /users/#/profile") { try $0.changeProfile(of: $1.number, $1) },
        BreatheSafeRoute("GET /fit_tests") { $0.listFitTests($1) },
        BreatheSafeRoute("POST /fit_tests", [.needsCSRFToken]) { try $0.addFitTest($1) },
        BreatheSafeRoute("PUT /fit_tests/#", [.needsCSRFToken]) { try $0.changeFitTest($1.number, $1) },
        BreatheSafeRoute("PATCH /fit_tests/#", [.needsCSRFToken]) { try $0.changeFitTest($1.number, $1) },
        BreatheSafeRoute("DELETE /fit_tests/#", [.needsCSRFToken]) { try $0.deleteFitTest($1.number, $1) },
        BreatheSafeRoute("POST /fit_tests/#/clone", [.needsCSRFToken]) { try $0.cloneFitTest($1.number, $1) },
        BreatheSafeRoute("GET /masks") { $0.listMasks($1) },
        BreatheSafeRoute("POST /masks") { try $0.addMask($1) },
    ]
}
