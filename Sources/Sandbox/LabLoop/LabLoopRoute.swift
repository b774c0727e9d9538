/// The simulated routes of LabLoop, all under `/api`.
enum LabLoopRoute: Equatable {
    case logIn
    /// The refresh token is in the body; rotates it.
    case refreshByBody
    /// The refresh token is in a header of a GET; rotates it.
    case refreshByHeader
    /// The web module's refresh: the token is in the body; does not rotate it.
    case refreshOnTheWeb
    case logOut
    /// The web module's logout; it always fails.
    case logOutOnTheWeb
    case appointments, addAppointment

    init?(_ request: SandboxRequest) {
        switch "\(request.method) \(request.path)" {
        case "POST /api/mobile/auth/login": self = .logIn
        case "POST /api/mobile/auth/refresh": self = .refreshByBody
        case "GET /api/mobile/auth/refresh": self = .refreshByHeader
        case "POST /api/web/auth/refresh": self = .refreshOnTheWeb
        case "POST /api/mobile/auth/logout": self = .logOut
        case "POST /api/web/auth/logout": self = .logOutOnTheWeb
        case "GET /api/mobile/appointments": self = .appointments
        case "POST /api/mobile/appointments": self = .addAppointment
        default: return nil
        }
    }
}
