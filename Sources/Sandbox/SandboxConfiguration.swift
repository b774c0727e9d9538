package struct SandboxConfiguration: Sendable {
    /// An IPv4 loopback address.
    package var host: String
    /// The port of the simulated backend; 0 takes any free port.
    package var port: Int
    /// The port of the control URL; 0 takes any free port.
    package var controlPort: Int
    /// Faults that are active from the first request.
    package var faults: [Fault]
    /// The file to which the ledger is appended, one JSON object per line.
    package var ledgerFile: String?
    package var backend: SandboxBackend
    package var clock: SandboxClock
    /// Sees every response, including those of faults, and returns the response to send.
    package var answering: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse

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

package enum SandboxBackend: Sendable {
    /// Measurements and fit tests; a cookie session.
    case breatheSafe(BreatheSafeConfiguration = BreatheSafeConfiguration())
    /// Appointments; device-scoped tokens with three ways to refresh.
    case labLoop(LabLoopConfiguration = LabLoopConfiguration())
    /// Images for credits; Firebase tokens, with Firebase's endpoints on the same port.
    case aiPhoto(AIPhotoConfiguration = AIPhotoConfiguration())
    /// Lists as its guide describes it; tokens last thirty days and cannot be refreshed.
    case lists(ListsConfiguration = ListsConfiguration())
    /// Lists four months later; refresh tokens rotate in families.
    case lists2026(Lists2026Configuration = Lists2026Configuration())
    /// Messages in a Realtime Database; Firebase tokens in the query, with Firebase's endpoints on the same port.
    case story16(FirebaseConfiguration = FirebaseConfiguration())
    /// A backend simulated from its profile alone.
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
