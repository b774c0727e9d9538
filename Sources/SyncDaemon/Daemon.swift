import Backends
import CSystemLinux
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Glibc
import Logging
import Outbox
import ServiceLifecycle
import SyncModel
import UnixSignals
import Vault

/// The whole daemon as one value, the same for production and for tests: what it is made of, in the order in which it depends on itself.
package struct Daemon: Sendable {
    private let lock: StateLock
    private let transport: HTTPTransport
    private let keepers: [SessionKeeper]
    private let outbox: Outbox
    private let dispatcher: Dispatcher
    private let spool: Spool
    private let socket: UnixSocket
    private let station: Station
    private let configuration: Configuration
    private let clock: any SyncClock
    private let log: Logger

    /// Opens everything: the lock first, then the key, the store, the sessions, and the socket last, so that whoever can connect is served.
    package init(
        configuration: Configuration, environment: [String: String], clock: any SyncClock = SystemClock(),
        seed: UInt64 = .random(in: .min ... .max), log: Logger
    ) async throws {
        // Files for the owner and the group that the socket admits, never for others.
        umask(0o007)
        signal(SIGPIPE, SIG_IGN)
        homing_return_memory()
        let state = configuration.stateDirectory
        lock = try StateLock(directory: state)
        let mark = try CrashMark(directory: state)
        let vault = Vault(key: try VaultKey.load(environment: environment, stateDirectory: state))
        let deviceID = try DeviceID.load(stateDirectory: state)
        let backends = try ProfileLibrary.load(directory: configuration.backends, deviceID: deviceID, version: HomingVersion.current)
        try Self.check(configuration, against: backends)
        outbox = try Outbox(
            file: state + "/outbox.sqlite", vault: vault, crashed: mark.earlierRunCrashed, maxBytes: configuration.maxBytes,
            lookupAfter: configuration.delivery.retry.lookupAfter, now: clock.now)
        let transport = try HTTPTransport(configuration.limits, clock: clock)
        self.transport = transport
        do {
            var keepers: [SessionKeeper] = []
            for backend in backends {
                keepers.append(
                    try SessionKeeper(
                        backend: backend,
                        foreignTo: try outbox.claimOrigin(backend.origin, of: backend.name, formerly: backend.formerOrigins),
                        directory: state + "/sessions", vault: vault, transport: transport, clock: clock))
            }
            self.keepers = keepers
            let book = AddressBook(keepers: Dictionary(uniqueKeysWithValues: keepers.map { ($0.backend.name, $0) }))
            let intake = Intake(outbox: outbox, addressing: book, clock: clock)
            let names = Set(backends.map(\.name))
            dispatcher = Dispatcher(
                outbox: outbox, keepers: keepers, pauses: try outbox.pauses(at: clock.now).filter { names.contains($0.backend) },
                clock: clock, policy: configuration.delivery, seed: seed, log: log)
            spool = try Spool(
                directory: configuration.spool.directory, backend: configuration.spool.backend, route: configuration.spool.route,
                intake: intake, outbox: outbox, clock: clock, log: log)
            station = Station(
                keepers: book.keepers, outbox: outbox, intake: intake, dispatcher: dispatcher, spool: spool, clock: clock,
                startedAt: clock.now, log: log)
            let folder = URL(fileURLWithPath: configuration.socket).deletingLastPathComponent().path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
            socket = try UnixSocket(path: configuration.socket, mode: 0o660)
        } catch {
            // A client that is let go without being shut down ends the process with a trap.
            await transport.shutdown()
            throw error
        }
        self.configuration = configuration
        self.clock = clock
        self.log = log
    }

    /// What `--version` says.
    package static let version = HomingVersion.current

    /// Serves until SIGTERM or SIGINT (where `signals`), or until the surrounding task is shut down or cancelled.
    package func run(signals: Bool = true) async throws {
        log.info(
            "Homing is up", metadata: ["version": "\(HomingVersion.current)", "socket": "\(socket.path)", "spool": "\(spool.directory)"])
        try await outbox.record([SyncEvent(at: clock.now, .started, detail: ["version": HomingVersion.current])])
        var services: [any Service] = [
            Housekeeping(outbox: outbox, keepDelivered: configuration.keepDelivered, clock: clock, log: log),
            DispatcherService(dispatcher: dispatcher),
            SessionWatch(keepers: keepers, outbox: outbox, dispatcher: dispatcher, spool: spool, clock: clock, log: log),
            SpoolService(spool: spool),
            NetworkWatch(dispatcher: dispatcher, log: log),
            ControlServer(
                socket: socket, service: station, policy: AccessPolicy(groups: configuration.access, isOpenToAll: socket.isOpenToAll),
                log: log),
        ]
        if signals { services.append(StopDeadline(dispatcher: dispatcher)) }
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: log)
        // What is in flight is handed back well before; then the rest is cancelled. (A limit on the cancelling would end in a trap, which
        // is what a crash of ours looks like at the next start; see StopDeadline.)
        group.maximumGracefulShutdownDuration = .seconds(4)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await ServiceGroup(configuration: group).run()) } catch { outcome = .failure(error) }
        await close()
        try outcome.get()
    }

    private func close() async {
        for keeper in keepers { await keeper.flush() }
        // `try?`: the last words; if the disk refuses them, nothing that was acknowledged is lost.
        try? await outbox.record([SyncEvent(at: clock.now, .stopped)])
        do { try outbox.close() } catch { log.warning("The outbox did not close cleanly", metadata: ["error": "\(error)"]) }
        await transport.shutdown()
        unlink(socket.path)
        log.info("Homing has stopped")
    }

    /// Configuration and profiles must fit together; the drop folder's route is the place where they could not.
    package static func check(_ configuration: Configuration, against backends: [Backend]) throws(Mistakes) {
        func mistake(_ key: String, _ found: String?, _ expected: String) -> Mistakes {
            Mistakes([Mistake(file: "homing.yaml", key: key, found: found, expected: expected)])
        }
        guard !backends.isEmpty else { throw mistake("backends", configuration.backends, "a folder with at least one profile (*.yaml)") }
        let spool = configuration.spool
        let names = backends.map(\.name).joined(separator: ", ")
        guard let named = spool.backend else {
            if backends.count > 1 { throw mistake("spool.backend", nil, "one of \(names), since there is more than one") }
            return try check(spool.route, of: backends[0], mistake)
        }
        guard let backend = backends.first(where: { $0.name == named }) else { throw mistake("spool.backend", named, "one of \(names)") }
        try check(spool.route, of: backend, mistake)
    }

    private static func check(_ route: String, of backend: Backend, _ mistake: (String, String?, String) -> Mistakes) throws(Mistakes) {
        guard backend.routes.contains(route) else {
            throw mistake("spool.route", route, "a route of \(backend.name): \(backend.routes.joined(separator: ", "))")
        }
    }
}
