package struct SandboxConfiguration: Sendable {
    /// The port of the simulated backend; 0 takes any free port.
    package var port = 0
    /// The port of the control URL; 0 takes any free port.
    package var controlPort = 0
    /// Faults that are active from the first request.
    package var faults: [Fault] = []
    /// The file of the ledger; each line is a JSON object.
    package var ledgerFile: String?
    package var backend = SandboxBackend.breatheSafe()
    package var clock = SandboxClock()
    /// Sees every response, including those of faults, and may replace it.
    package var answering: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }

    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }
}

package enum SandboxBackend: Sendable {
    /// Measurements and fit tests; a cookie session.
    case breatheSafe(BreatheSafeConfiguration = BreatheSafeConfiguration())
    /// Appointments; device-scoped tokens with three ways to refresh.
    case labLoop(LabLoopConfiguration = LabLoopConfiguration())
    /// Images for credits; Firebase's endpoints are on the same port.
    case aiPhoto(AIPhotoConfiguration = AIPhotoConfiguration())
    /// Tokens last thirty days and cannot be refreshed.
    case lists(ListsConfiguration = ListsConfiguration())
    /// Lists four months later; refresh tokens rotate in families.
    case lists2026(Lists2026Configuration = Lists2026Configuration())
    /// Messages in a Realtime Database; Firebase tokens in the query, with its endpoints on the same port.
    case story16(FirebaseConfiguration = FirebaseConfiguration())
    /// A backend simulated from its profile alone.
    case described(DescribedConfiguration)

    func server(clock: SandboxClock) -> SandboxServer {
        let state: any SandboxState =
            switch self {
            case .breatheSafe(let configuration): BreatheSafeState(configuration, startingAt: clock.now)
            case .labLoop(let configuration): LabLoopState(configuration)
            case .aiPhoto(let configuration): AIPhotoState(configuration)
            case .lists(let configuration): ListsState(configuration)
            case .lists2026(let configuration): Lists2026State(configuration)
            case .story16(let configuration): Story16State(configuration)
            case .described(let configuration): DescribedState(configuration)
            }
        return SandboxServer(state, clock: clock)
    }
}
