/// A stand-in for a real backend on a loopback port: same answers, faults by script, and a ledger of what it accepted.
///
/// Several can run in one process. The ports are taken by `init`, so the URLs are known before anybody listens.
package final class Sandbox: Sendable {
    /// Where the imitated backend answers, `http://127.0.0.1:port`.
    package let baseURL: String
    /// Where faults are set and the ledger is read, `http://127.0.0.1:port`.
    package let controlURL: String
    /// What was received and what was accepted.
    package let ledger: Ledger
    /// The time that the imitated backend believes it is.
    package let clock: SandboxClock

    private let switchboard: Switchboard
    private let control: Listener
    private let initialFaults: [Fault]

    /// Takes the ports and opens the ledger file; nothing listens before `start`.
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

    /// Listens on both ports; the backend stays down when `down` is among the faults of the configuration.
    package func start() async throws {
        try await control.up()
        for fault in initialFaults { await apply(fault) }
        if !initialFaults.contains(where: { $0.name == .down }) { try await up() }
    }

    /// Ends both listeners and every connection, also those that wait for an answer.
    package func stop() async {
        await switchboard.backend.down()
        await control.down()
    }

    /// Closes every connection and refuses new ones until `up`.
    package func down() async { await switchboard.backend.down() }

    /// Listens again on the same port.
    package func up() async throws { try await switchboard.backend.up() }

    /// Sets a fault; it holds for its count, or until `clearFaults`.
    package func apply(_ fault: Fault) async { await switchboard.apply(fault) }

    /// The faults that are set, with the counts that are left.
    package var faults: [Fault] { switchboard.plan.faults }

    /// Forgets every fault; a backend that is down stays down.
    package func clearFaults() { switchboard.plan.clear() }

    /// What about the imitated backend can be changed while it runs, with its present values.
    package var settings: JSONObject { switchboard.standIn.settings }

    /// Changes some of the settings of the imitated backend; throws where it has no such setting.
    package func change(_ settings: JSONObject) throws(FaultProblem) { try switchboard.standIn.change(settings) }

    /// Ends every session that exists now, as if it had been idle too long; with `rememberTokens` also what would open a new one without
    /// a password: remember tokens and refresh tokens.
    package func expireSessions(rememberTokens: Bool = false) { switchboard.standIn.expireSessions(rememberTokens: rememberTokens) }
}
