import Logging
import ServiceLifecycle
import UnixSignals

/// Simulates a backend on a loopback port: same responses, scripted faults, and a ledger of accepted changes.
package final class Sandbox: Sendable {
    /// The URL of the simulated backend, `http://127.0.0.1:port`.
    package let baseURL: String
    /// The URL for setting faults and reading the ledger, `http://127.0.0.1:port`.
    package let controlURL: String
    package let ledger: Ledger
    package let clock: SandboxClock

    private let plane: ControlPlane
    private let control: Listener
    private let initialFaults: [Fault]

    /// Binds the ports, so the URLs are known before `start`.
    package init(_ configuration: SandboxConfiguration = SandboxConfiguration()) throws {
        let backendPort = try PortReservation(configuration.port)
        let controlPort = try PortReservation(configuration.controlPort)
        baseURL = backendPort.url
        controlURL = controlPort.url
        ledger = Ledger(file: try configuration.ledgerFile.map(LedgerFile.init(path:)))
        clock = configuration.clock
        initialFaults = configuration.faults

        let plan = FaultPlan()
        let server = configuration.backend.server(clock: clock)
        let responder = FaultingResponder(server: server, ledger: ledger, plan: plan, clock: clock, answering: configuration.answering)
        let backend = Listener(backendPort, plan: plan) { request, writer, channel in
            let exchange = try await responder.respond(to: try await Wire.read(request))
            do {
                try await Wire.send(exchange.delivery, with: writer, on: channel)
            } catch {
                responder.lost(exchange)
                throw error
            }
        }
        let plane = ControlPlane(backend: backend, server: server, plan: plan, clock: clock, ledger: ledger)
        self.plane = plane
        control = Listener(controlPort) { request, writer, channel in
            let response = await plane.respond(to: try await Wire.read(request))
            try await Wire.send(.whole(response), with: writer, on: channel)
        }
    }

    /// The backend stays down if the configuration has the fault `down`.
    package func start() async throws {
        try await control.up()
        for fault in initialFaults { await apply(fault) }
        if !initialFaults.contains(where: { $0.name == .down }) { try await up() }
    }

    /// Closes every connection, including those waiting for a response.
    package func stop() async {
        await plane.backend.down()
        await control.down()
    }

    /// Closes every connection and refuses new ones until `up`.
    package func down() async { await plane.backend.down() }

    /// Listens again on the same port.
    package func up() async throws { try await plane.backend.up() }

    /// The connections to the simulated backend since it was last up.
    package var connectionCount: Int { get async { await plane.backend.connectionCount } }

    /// Sets a fault; it lasts for its count, or until `clearFaults`.
    package func apply(_ fault: Fault) async { await plane.apply(fault) }

    /// Removes every fault; a backend that is down stays down.
    package func clearFaults() { plane.plan.clear() }

    /// The settings of the simulated backend and their current values.
    package var settings: JSONObject { plane.server.settings }

    /// Changes settings of the simulated backend; throws for an unknown setting.
    package func change(_ settings: JSONObject) throws(FaultProblem) { try plane.server.change(settings) }

    /// Adds a person and returns the `managed_id`. Profile fields are as in a PUT of the profile.
    @discardableResult
    package func addPerson(_ profile: JSONObject, manager: Int = 1) throws(FaultProblem) -> Int {
        try plane.server.addPerson(profile, manager: manager)["managed_id"]?.integer ?? 0
    }

    /// Removes a person with all data from a simulated BreatheSafe.
    package func removePerson(_ user: Int) throws(FaultProblem) { try plane.server.removePerson(user) }

    /// Ends every session as an idle timeout does; `rememberTokens` also expires remember and refresh tokens.
    package func expireSessions(rememberTokens: Bool = false) { plane.server.expireSessions(rememberTokens: rememberTokens) }
}

extension Sandbox: Service {
    /// Runs until a graceful shutdown or cancellation, then stops at once.
    package func run() async throws {
        // Throws only on cancellation, which also ends the run.
        try? await gracefulShutdown()
        await stop()
    }

    package func runUntilSignalled() async throws {
        let group = ServiceGroup(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}

package enum SandboxError: Error, Equatable, CustomStringConvertible {
    case port(Int, reason: String)
    case ledgerFile(path: String, reason: String)

    static func taken(_ port: Int) -> SandboxError {
        .port(port, reason: "another program uses this port. Stop it or choose another; 0 takes a free one")
    }

    package var description: String {
        switch self {
        case .port(let port, let reason): "cannot listen on \(PortReservation.host):\(port): \(reason)"
        case .ledgerFile(let path, let reason): "cannot write the ledger file \(path): \(reason)"
        }
    }
}
