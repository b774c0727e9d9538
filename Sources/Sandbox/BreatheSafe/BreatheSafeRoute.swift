/// The simulated routes of BreatheSafe. Row numbers in paths are parsed like Ruby's `to_i`; 0 matches no row.
enum BreatheSafeRoute: Equatable {
    case root
    case logIn, logOut, currentUser, csrfToken, signInPage
    case managedUsers, addManagedUser, newestMeasurements
    case managedUser(managed: Int)
    case deleteManagedUser(row: Int)
    case measurements(user: Int)
    case addMeasurement(user: Int)
    case addArkitMeasurement(user: Int)
    case aggregateArkit(user: Int)
    case profile(user: Int)
    case changeProfile(user: Int)
    case fitTests, addFitTest
    case changeFitTest(Int)
    case deleteFitTest(Int)
    case cloneFitTest(Int)
    case masks, addMask

    /// Nil if Rails has no such route.
    init?(_ request: SandboxRequest) {
        var path = request.decodedSegments
        if let last = path.last, last.hasSuffix(".json") { path[path.count - 1] = String(last.dropLast(5)) }
        switch (request.method, path.count, path.first, path.dropFirst().first) {
        case ("GET", 0, _, _): self = .root
        case ("POST", 2, "users", "log_in"): self = .logIn
        case ("DELETE", 2, "users", "log_out"): self = .logOut
        case ("GET", 2, "users", "get_current_user"): self = .currentUser
        case ("GET", 1, "csrf_token", _): self = .csrfToken
        case (_, 2, "users", "sign_in"): self = .signInPage
        case ("GET", 1, "managed_users", _): self = .managedUsers
        case ("POST", 1, "managed_users", _): self = .addManagedUser
        case ("GET", 2, "managed_users", "facial_measurements"): self = .newestMeasurements
        case ("GET", 1, "fit_tests", _): self = .fitTests
        case ("POST", 1, "fit_tests", _): self = .addFitTest
        case ("GET", 1, "masks", _): self = .masks
        case ("POST", 1, "masks", _): self = .addMask
        default:
            guard path.count > 1, let route = Self.numbered(request.method, path, path[1].rubyInteger) else { return nil }
            self = route
        }
    }

    private static func numbered(_ method: String, _ path: [String], _ number: Int) -> BreatheSafeRoute? {
        switch (method, path[0], path.dropFirst(2).joined(separator: "/")) {
        case ("GET", "managed_users", ""): .managedUser(managed: number)
        case ("DELETE", "managed_users", ""): .deleteManagedUser(row: number)
        case ("PUT", "fit_tests", ""), ("PATCH", "fit_tests", ""): .changeFitTest(number)
        case ("DELETE", "fit_tests", ""): .deleteFitTest(number)
        case ("POST", "fit_tests", "clone"): .cloneFitTest(number)
        case ("POST", "users", "facial_measurements_from_arkit"): .addArkitMeasurement(user: number)
        case ("GET", "users", "facial_measurements"): .measurements(user: number)
        case ("POST", "users", "facial_measurements"): .addMeasurement(user: number)
        case ("POST", "users", "facial_measurements/aggregate_arkit"): .aggregateArkit(user: number)
        case ("GET", "users", "profile"): .profile(user: number)
        case ("PUT", "users", "profile"), ("PATCH", "users", "profile"): .changeProfile(user: number)
        default: nil
        }
    }

    var needsCSRFToken: Bool {
        switch self {
        case .addManagedUser, .deleteManagedUser, .addFitTest, .changeFitTest, .deleteFitTest, .cloneFitTest: true
        default: false
        }
    }

    /// True for signing in and out: Devise skips its idle timeout there.
    var ignoresIdleTimeout: Bool { self == .logIn || self == .logOut }

    /// True if the route also has an HTML response; controllers only render JSON.
    var hasPage: Bool { self == .logIn || self == .logOut || self == .signInPage || self == .root }
}
