import Backends
import CSystemLinux
import ControlServer
import Dispatch
import Glibc
import Logging
import Outbox
import ServiceLifecycle
import UnixSignals

/// Runs daemons in this process. SIGTERM and SIGINT stop within five seconds (eleven during a token refresh). SIGHUP rereads the
/// configuration, and a new daemon takes over the lock and the socket (Reloading).
package struct DaemonProcess: Sendable {
    private let file: String?
    private let environment: [String: String]
    private let log: Logger

    private enum Event: Sendable {
        case reload
        case stop
        case ended(Result<Void, any Error>)
    }

    /// - Parameter file: the configuration; nil for the default path.
    package init(file: String?, environment: [String: String], log: Logger) {
        self.file = file
        self.environment = environment
        self.log = log
    }

    /// Returns after a stop; throws if it cannot start or continue.
    package func run() async throws {
        Self.prepareProcess()
        let notifier = ServiceNotifier(environment: environment)
        do { try await run(notifier) } catch {
            notifier?.tell(.status("Cannot continue: \(StartError.sentence(for: error))"))
            throw error
        }
    }

    /// Here, because a `Daemon` in a test must not change its process. Early, because existing thread arenas keep their memory.
    private static func prepareProcess() {
        // Owner and socket group only.
        umask(0o007)
        signal(SIGPIPE, SIG_IGN)
        homing_return_memory()
    }

    private func run(_ notifier: ServiceNotifier?) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let (events, post) = AsyncStream.makeStream(of: Event.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    if signal == .sighup {
                        post.yield(.reload)
                    } else {
                        // A stop may come while a store is being opened.
                        StopDeadline.start()
                        notifier?.tell(.stopping, .status("Stopping."))
                        post.yield(.stop)
                    }
                }
            }
            defer { group.cancelAll() }
            let configuration = try ConfigurationCheck.configuration(file: file, environment: environment)
            let socket = try PassedSocket.adopt(environment: environment)
            if let socket, socket.path != configuration.socket {
                log.warning(
                    "Using the socket from the service manager, not the configured one",
                    metadata: ["passed": "\(socket.path)", "configured": "\(configuration.socket)"])
            }
            func open() async throws -> Daemon {
                try await Daemon(configuration: configuration, environment: environment, socket: socket, notifier: notifier, log: log)
            }
            do {
                let daemon: Daemon
                // Damage found after opening is salvaged by reopening.
                do { daemon = try await open() } catch OutboxError.damaged { daemon = try await open() }
                try await supervise(daemon, events, post, &group)
            } catch let error as OutboxError {
                throw StartError(StartError.sentence(for: error, store: Daemon.store(in: configuration.stateDirectory)))
            }
        }
    }

    /// The running daemon and its successor.
    private struct State {
        var daemon: Daemon
        var next: (configuration: Configuration, backends: [Backend], changes: [ConfigurationChange])?
        /// Another reload came after `next` was read.
        var readsAgain = false
        var isStopping = false
        /// The number of salvages: repeated damage means failing disk or memory.
        var salvages = 0
    }

    private static let mostSalvages = 3

    private func supervise(
        _ first: Daemon, _ events: AsyncStream<Event>, _ post: AsyncStream<Event>.Continuation,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        func start(_ daemon: Daemon) {
            group.addTask {
                do { post.yield(.ended(.success(try await daemon.run()))) } catch { post.yield(.ended(.failure(error))) }
            }
        }
        var state = State(daemon: first)
        // The path must not lead new clients to a dead daemon.
        defer { state.daemon.socket.close() }
        start(first)
        for await event in events {
            switch event {
            case .stop:
                state.isStopping = true
                state.daemon.stop()
            case .reload where state.isStopping: break
            case .reload where state.next != nil: state.readsAgain = true
            case .reload where state.daemon.outbox.place.lost != nil:
                log.error("The configuration was not read again: the store was deleted or replaced, and only this daemon has the captures")
            case .reload:
                reload(&state)
                if state.next != nil { group.addTask { [daemon = state.daemon] in await daemon.retire() } }
            case .ended(.failure(OutboxError.damaged(let words))) where !state.isStopping && state.salvages < Self.mostSalvages:
                log.error("The store is damaged and will be reopened", metadata: ["reason": "\(words)"])
                state.salvages += 1
                // The pending configuration is read again afterwards.
                if state.next != nil { post.yield(.reload) }
                state.next = nil
                let earlier = state.daemon
                state.daemon = try await Daemon(earlier.configuration, earlier.backends, replacing: earlier, because: [])
                start(state.daemon)
            case .ended(let outcome):
                // Running out of time is no failure: the store keeps every entry.
                if case .failure(let error) = outcome, state.isStopping || state.next != nil {
                    log.warning("The daemon did not end cleanly", metadata: ["error": "\(error)"])
                }
                if state.isStopping { return }
                guard let next = state.next else { return try outcome.get() }
                state.daemon = try await successor(of: state.daemon, next.configuration, next.backends, next.changes)
                state.next = nil
                start(state.daemon)
                if state.readsAgain { post.yield(.reload) }
                state.readsAgain = false
            }
        }
    }

    /// Rereads the configuration, logs changes and sets the successor.
    private func reload(_ state: inout State) {
        let daemon = state.daemon
        let notifier = daemon.context.notifier
        notifier?.tell(.reloading(since: .now()))
        var restart: [ConfigurationChange] = []
        let reload = Reload(
            file: file, environment: environment, inForce: (daemon.configuration, daemon.backends), deviceID: daemon.context.deviceID,
            restart: &restart)
        for case .key(let key, let old, let new) in restart {
            log.warning("A changed key takes effect at the next restart", metadata: ["key": "\(key)", "from": "\(old)", "to": "\(new)"])
        }
        switch reload {
        case .unchanged:
            if restart.isEmpty { log.notice("The configuration was read again; nothing has changed") }
            daemon.rejected.set(nil)
            notifier?.tell(.ready)
        case .mistaken(let mistakes):
            for mistake in mistakes.all { log.error("The configuration has a mistake", metadata: ["mistake": "\(mistake)"]) }
            log.error("The previous configuration stays active")
            daemon.rejected.set(mistakes)
            notifier?.tell(.ready)
        case .changed(let configuration, let backends, let changes):
            for change in changes { change.log(to: log) }
            state.next = (configuration, backends, changes)
        }
    }

    /// The next daemon, with the new configuration or, if that fails, with the previous one.
    private func successor(
        of earlier: Daemon, _ configuration: Configuration, _ backends: [Backend], _ changes: [ConfigurationChange]
    ) async throws -> Daemon {
        do {
            return try await Daemon(configuration, backends, replacing: earlier, because: changes)
        } catch {
            let sentence = StartError.sentence(for: error, store: Daemon.store(in: configuration.stateDirectory))
            log.error(
                "The changed configuration cannot be used; the previous one stays active", metadata: ["reason": "\(sentence)"])
            let daemon = try await Daemon(earlier.configuration, earlier.backends, replacing: earlier, because: [])
            daemon.rejected.set("it cannot be used: \(sentence)")
            return daemon
        }
    }
}
