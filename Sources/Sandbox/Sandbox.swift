/// Simulates a backend on a loopback port: same responses, scripted faults, and a ledger of accepted changes.
package final class Sandbox: Sendable {
    /// The URL of the simulated backend, `http://127.0.0.1:port`.
    package let baseURL: String
    /// The URL for setting faults and reading the ledger, `http://127.0.0.1:port`.
    package let controlURL: String
    package let ledger: Ledger
    package let clock: SandboxClock

    private let switchboard: Switchboard
    private let control: Listener
    private let initialFaults: [Fault]

    /// Binds the ports, so the URLs are known before `start`, and opens the ledger file.
    package init(_ configuration: SandboxConfiguration = SandboxConfiguration()) throws {
        let backendPort = try PortReservation(host: configuration.host, port: configuration.port)
        let controlPort = try PortReservation(host: configuration.host, port: configuration.controlPort)
        baseURL = "http://\(backendPort.host):\(backendPort.port)"
        controlURL = "http://\(controlPort.host):\(controlPort.port)"
        ledger = Ledger(file: try configuration.ledgerFile.map(LedgerFile.init(path:)))
        clock = configuration.clock
        initialFaults = configuration.faults

        let plan = FaultPlan()
        let standIn = configuration.backend.standIn(clock: clock)
        let responder = FaultingResponder(standIn: standIn, ledger: ledger, plan: plan, clock: clock, answering: configuration.answering)
        let backend = Listener(backendPort, plan: plan) { request, writer, channel in
            let exchange = try await responder.respond(to: try await Wire.read(request))
            do {
                try await Wire.send(exchange.delivery, with: writer, on: channel)
            } catch {
                responder.lost(exchange)
                throw error
            }
        }
        switchboard = Switchboard(backend: backend, standIn: standIn, plan: plan, clock: clock)
        let plane = ControlPlane(switchboard: switchboard, ledger: ledger)
        control = Listener(controlPort) { request, writer, channel in
            let response = await plane.respond(to: try await Wire.read(request))
            try await Wire.send(.whole(response), with: writer, on: channel)
        }
    }

    /// Listens on both ports; the backend stays down if the configuration has the fault `down`.
    package func start() async throws {
        try await control.up()
        for fault in initialFaults { await apply(fault) }
        if !initialFaults.contains(where: { $0.name == .down }) { try await up() }
    }

    /// Closes both listeners and every connection, including those waiting for a response.
    package func stop() async {
        await switchboard.backend.down()
        await control.down()
    }

    /// Closes every connection and refuses new ones until `up`.
    package func down() async { await switchboard.backend.down() }

    /// Listens again on the same port.
    package func up() async throws { try await switchboard.backend.up() }

    /// Sets a fault; it lasts for its count, or until `clearFaults`.
    package func apply(_ fault: Fault) async { await switchboard.apply(fault) }

    /// The active faults with their remaining counts.
    package var faults: [Fault] { switchboard.plan.faults }

    /// Removes every fault; a backend that is down stays down.
    package func clearFaults() { switchboard.plan.clear() }

    /// The settings of the simulated backend and their current values.
    package var settings: JSONObject { switchboard.standIn.settings }

    /// Changes settings of the simulated backend; throws for an unknown setting.
    package func change(_ settings: JSONObject) throws(FaultProblem) { try switchboard.standIn.change(settings) }

    /// Expires every session as an idle timeout does; `rememberTokens` also expires remember and refresh tokens.
    package func expireSessions(rememberTokens: Bool = false) { switchboard.standIn.expireSessions(rememberTokens: rememberTokens) }
}
