/// The routes of LabLoop that exist here, all under `/api`.
enum LabLoopRoute: Equatable {
    case logIn
    /// The refresh token in the body; rotates.
    case refreshByBody
    /// The refresh token in a header of a GET; rotates.
    case refreshByHeader
    /// The web module's: the refresh token in the body; does not rotate.
    case refreshOnTheWeb
    case logOut
    /// The web module's, which never succeeds.
    case logOutOnTheWeb
    case appointments, addAppointment

    /// Nil where LabLoop has no route.
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
