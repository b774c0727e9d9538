/// What one sandbox is and how it starts.
package struct SandboxConfiguration: Sendable {
    /// An IPv4 loopback address.
    package var host: String
    /// The port of the imitated backend; 0 takes any.
    package var port: Int
    /// The port of the control URL; 0 takes any.
    package var controlPort: Int
    /// Set before the first request is answered.
    package var faults: [Fault]
    /// Where the ledger is appended to, one JSON object a line.
    package var ledgerFile: String?
    /// The backend to stand in for, with what is in it.
    package var backend: SandboxBackend
    /// The wall clock.
    package var clock: SandboxClock
    /// Sees every answer, also a fault's, and says what goes out in its place.
    package var answering: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse

    /// A backend with the usual accounts on any free ports.
    package init(
        host: String = "127.0.0.1", port: Int = 0, controlPort: Int = 0, faults: [Fault] = [], ledgerFile: String? = nil,
        backend: SandboxBackend = .breatheSafe(), clock: SandboxClock = SandboxClock(),
        answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) {
        self.host = host
        self.port = port
        self.controlPort = controlPort
        self.faults = faults
        self.ledgerFile = ledgerFile
        self.backend = backend
        self.clock = clock
        self.answering = answering
    }
}

/// The backends that a sandbox can stand in for.
package enum SandboxBackend: Sendable {
    /// Measurements and fit tests; a cookie session.
    case breatheSafe(BreatheSafeConfiguration = BreatheSafeConfiguration())
    /// Appointments; device-scoped tokens with three ways to refresh.
    case labLoop(LabLoopConfiguration = LabLoopConfiguration())
    /// Images for credits; Firebase's tokens, and its endpoints on the same port.
    case aiPhoto(AIPhotoConfiguration = AIPhotoConfiguration())
    /// Lists as its guide describes it; a token for thirty days and no refresh.
    case lists(ListsConfiguration = ListsConfiguration())
    /// Lists four months later; refresh tokens that rotate in families.
    case lists2026(Lists2026Configuration = Lists2026Configuration())
    /// Messages in a Realtime Database; Firebase's tokens in the query, and its endpoints on the same port.
    case story16(FirebaseConfiguration = FirebaseConfiguration())
    /// A backend of which nothing is known but its profile.
    case described(DescribedConfiguration)

    func standIn(clock: SandboxClock) -> any StandIn {
        switch self {
        case .breatheSafe(let configuration): BreatheSafe(configuration, startingAt: clock.now)
        case .labLoop(let configuration): StatefulStandIn(LabLoopState(configuration), clock: clock)
        case .aiPhoto(let configuration): StatefulStandIn(AIPhotoState(configuration), clock: clock)
        case .lists(let configuration): StatefulStandIn(ListsState(configuration), clock: clock)
        case .lists2026(let configuration): StatefulStandIn(Lists2026State(configuration), clock: clock)
        case .story16(let configuration): StatefulStandIn(Story16State(configuration), clock: clock)
        case .described(let configuration): StatefulStandIn(DescribedState(configuration), clock: clock)
        }
    }
}
