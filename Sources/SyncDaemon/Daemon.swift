import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Roster
import Salvage
import ServiceLifecycle
import Sessions
import SyncModel
import Vault

/// The whole daemon, for production and tests. Members are in dependency order.
package struct Daemon: Sendable {
    let context: Context
    let configuration: Configuration
    let backends: [Backend]
    let transport: HTTPTransport
    let keepers: [SessionKeeper]
    let outbox: Outbox
    /// The store was damaged, and was salvaged when this daemon opened it.
    let wasSalvaged: Bool
    let rosters: RosterKeeper
    let dispatcher: Dispatcher
    let spool: Spool
    let socket: UnixSocket
    let policy: AccessPolicy
    let rejected = RejectedConfiguration()
    let handler: ControlHandler
    let ending = DaemonEnding()
    let opening: SyncEvent

    /// State passed to the next daemon in the same process.
    struct Context: Sendable {
        let lock: StateLock
        let keys: KeyKeeper
        let deviceID: String
        let environment: [String: String]
        let notifier: ServiceNotifier?
        let clock: any SyncClock
        let startedAt: Date
        let log: Logger
    }

    /// Opens the lock, the key, the store, the sessions and, last, the socket, so that every client is served. `socket` and `notifier` come
    /// from a service manager.
    package init(
        configuration: Configuration, environment: [String: String], socket: UnixSocket? = nil, notifier: ServiceNotifier? = nil,
        clock: any SyncClock = SystemClock(), log: Logger
    ) async throws {
        let state = configuration.stateDirectory
        if let fault = StateFiles.faults(in: state).first { throw StartError(fault) }
        let lock = try StateLock(directory: state)
        let mark = try CrashMark(directory: state)
        let keys = try StationKeys.load(environment: environment, stateDirectory: state, now: clock.now) { Self.keyrings(in: state) }
        let context = Context(
            lock: lock, keys: KeyKeeper(keys),
            deviceID: try DeviceID.load(stateDirectory: state), environment: environment, notifier: notifier, clock: clock,
            startedAt: clock.now, log: log)
        let backends = try ProfileLibrary.load(
            directory: configuration.backends, deviceID: context.deviceID, version: HomingVersion.current)
        try Self.check(configuration, against: backends)
        try await self.init(
            configuration, backends, in: context, crashed: mark.earlierRunCrashed, socket: socket,
            opening: SyncEvent(at: clock.now, .started, detail: ["version": HomingVersion.current]))
        do { try mark.clear() } catch {
            await transport.shutdown()
            if socket == nil { self.socket.close() }
            // `try?`: the earlier error is the cause.
            try? outbox.close()
            throw error
        }
    }

    static func store(in state: String) -> String { state + "/outbox.sqlite" }

    /// The copies of the keyring in the store.
    static func keyrings(in state: String) -> [Data] {
        // `try?`: opening the store next reports the error.
        (try? StoreEvidence(file: store(in: state)))?.keyrings ?? []
    }

    /// The keys that a start would use, without writing; nil if a start would create them. Throws what a start would throw.
    static func findKeys(for state: String, environment: [String: String]) throws -> StationKeys? {
        try StationKeys.find(environment: environment, stateDirectory: state) {
            let kept = StoreEvidence.keptKeyring(file: store(in: state), isInUse: StoreCheckReport.isInUse(state))
            return kept.map { [$0] } ?? keyrings(in: state)
        }
    }

    /// Replaces a retired daemon in the same process. Without `changes`, the new configuration could not be used.
    init(_ configuration: Configuration, _ backends: [Backend], replacing earlier: Daemon, because changes: [ConfigurationChange])
        async throws
    {
        var detail = Dictionary(changes.map(\.detail).map { ($0.name, $0.text) }) { first, _ in first }
        if changes.isEmpty, !earlier.outbox.damage.isMet { detail["kept"] = "the previous configuration" }
        try await self.init(
            configuration, backends, in: earlier.context, crashed: false, socket: earlier.socket,
            opening: SyncEvent(at: earlier.context.clock.now, .reloaded, detail: detail))
    }

    private init(
        _ configuration: Configuration, _ backends: [Backend], in context: Context, crashed: Bool, socket passed: UnixSocket?,
        opening: SyncEvent
    ) async throws {
        let (state, clock, log) = (configuration.stateDirectory, context.clock, context.log)
        let (outbox, report) = try StoreDoctor.open(
            file: Self.store(in: state), vault: context.keys.vault, crashed: crashed, maxBytes: configuration.maxBytes,
            lookupAfter: configuration.delivery.retry.lookupAfter, now: clock.now,
            progress: { context.notifier?.tell(.busy(for: .seconds(120)), .watchdog) }, traits: backends.traits,
            permit: { try context.keys.compare(with: Self.keyrings(in: state), at: clock.now) })
        report?.log(to: log)
        outbox.olderCopy?.log(to: log, path: Self.store(in: state))
        let transport: HTTPTransport
        do {
            try context.keys.copy(to: outbox, at: clock.now)
            transport = try HTTPTransport(configuration.limits, clock: clock)
        } catch {
            // `try?`: the earlier error is the cause. A restore over an empty store needs a closed one.
            try? outbox.close()
            throw error
        }
        do {
            keepers = try backends.map {
                try SessionKeeper(
                    backend: $0, foreignTo: try outbox.claimOrigin($0.address, of: $0.name, formerly: $0.formerAddresses),
                    outbox: outbox, transport: transport, clock: clock, log: log)
            }
            let book = AddressBook(keepers: Dictionary(uniqueKeysWithValues: keepers.map { ($0.backend.name, $0) }))
            let intake = Intake(outbox: outbox, addressing: book, clock: clock)
            rosters = RosterKeeper(outbox: outbox, keepers: keepers, clock: clock, seed: .random(in: .min ... .max), log: log)
            dispatcher = try Dispatcher(
                outbox: outbox, keepers: keepers, rosters: rosters, clock: clock, policy: configuration.delivery,
                seed: .random(in: .min ... .max), log: log)
            spool = try Spool(configuration.spool, intake: intake, outbox: outbox, clock: clock, log: log)
            handler = ControlHandler(
                keepers: book.keepers, outbox: outbox, intake: intake, dispatcher: dispatcher, rosters: rosters, spool: spool, clock: clock,
                startedAt: context.startedAt, rejected: rejected, stateDirectory: state,
                station: context.deviceID, keepDelivered: configuration.keepDelivered, keys: context.keys,
                examination: Examination(
                    configuration: configuration, backends: backends, transport: transport, environment: context.environment,
                    outbox: outbox, clock: clock), log: log)
            socket = try passed ?? Self.listen(configuration.socket)
            policy = AccessPolicy(groups: configuration.access, isOpenToAll: socket.isOpenToAll)
        } catch {
            await transport.shutdown()
            // `try?`: as above.
            try? outbox.close()
            throw error
        }
        (self.context, self.configuration, self.backends, self.opening) = (context, configuration, backends, opening)
        (self.outbox, wasSalvaged, self.transport) = (outbox, report != nil, transport)
    }

    private static func listen(_ path: String) throws -> UnixSocket {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
        return try UnixSocket(path: path, mode: 0o660)
    }

    package static let version = HomingVersion.current
}
