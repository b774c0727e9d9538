import Backends
import CSystemLinux
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import ServiceLifecycle
import SyncModel

extension Daemon {
    /// Serves until `stop`, until `retire`, or until the surrounding task is cancelled; once for each daemon.
    ///
    /// Throws `OutboxError.damaged` where it has met damage in its store: another daemon in its place salvages what can be read.
    package func run() async throws {
        do { try await outbox.record([opening]) } catch {
            // What it has open would keep another daemon from salvaging its store.
            if needsSalvage { await close() }
            throw error
        }
        for keeper in keepers {
            try await holdWhatIsNotFound(at: keeper.backend)
            try await release(at: keeper.backend)
        }
        // Before anybody can sign in: what is to be destroyed must not be somebody's who is back.
        for keeper in keepers {
            let name = keeper.backend.name
            await keeper.tellSignIns(to: { await station.tell($0, at: name) })
            await keeper.finishSignOuts(station.errands(at: keeper.backend))
        }
        // Nor may what was dropped before be taken for what that person drops.
        await spool.accountMayHaveChanged()
        // By its type: left to itself the group takes for the name all that a service holds, and that is what errors would say.
        let named = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: "\(type(of: $0))") }
        var group = ServiceGroupConfiguration(services: named, logger: premises.log)
        // What is in flight is handed back well before; then the rest is cancelled. (A limit on the cancelling would end in a trap, which
        // is what a crash of ours looks like at the next start; see StopDeadline.)
        group.maximumGracefulShutdownDuration = .seconds(4)
        let damageMet = outbox.damage.met.listen()
        // What was met before is told to nobody any more.
        if outbox.damage.isMet {
            dispatcher.stop()
            ending.request()
        }
        let running = ServiceGroup(configuration: group)
        let outcome: Result<Void, any Error> = await withTaskGroup { tasks in
            tasks.addTask { for await _ in ending.requests { await running.triggerGracefulShutdown() } }
            tasks.addTask {
                for await _ in damageMet where outbox.damage.isMet {
                    dispatcher.stop()
                    ending.request()
                }
            }
            defer { tasks.cancelAll() }
            do { return .success(try await running.run()) } catch { return .failure(error) }
        }
        await close()
        if needsSalvage { throw OutboxError.damaged(outbox.damage.reason ?? "") }
        try outcome.get()
    }

    /// Only the profile under which an uncertain entry was sent can find it at the backend.
    private func holdWhatIsNotFound(at backend: Backend) async throws(OutboxError) {
        let held = try await outbox.claimMatches(backend.matches, of: backend.name, at: premises.clock.now)
        guard held > 0 else { return }
        premises.log.warning(
            "Entries are held: the profile has another marker or find.match than when they were sent",
            metadata: ["backend": "\(backend.name)", "count": "\(held)"])
    }

    /// Entries that an earlier profile could not send go on where this one can.
    private func release(at backend: Backend) async throws(OutboxError) {
        let released = try await outbox.releaseMisfits(of: backend.name, at: premises.clock.now) { backend.misfit(of: $0) == nil }
        guard released > 0 else { return }
        premises.log.notice(
            "Entries fit the profile again and are sent", metadata: ["backend": "\(backend.name)", "count": "\(released)"])
    }

    /// Ends the run within five seconds: what is in flight is handed back, and nobody is listened to any more. Only a refresh that is under way
    /// may take ten.
    package func stop() {
        ending.begin(.stop)
        for keeper in keepers { keeper.stop() }
        // At once: a sign-in that hangs in the control channel, which is shut down before the dispatcher, must not use up its time.
        dispatcher.stop()
        socket.close()
        ending.request()
    }

    /// Ends the run so that another daemon can take its place: nothing new is sent, what is being sent comes to its end, and calls are answered
    /// all the while. Whoever connects after that waits for the next daemon. A `stop` still ends it at once.
    package func retire() async {
        ending.begin(.retire)
        let limit = max(configuration.limits.exchange, backends.compactMap(\.longestRequest).max() ?? .zero) + configuration.limits.connect
        await atMost(limit + .seconds(2)) {
            await dispatcher.finish(within: limit.seconds)
            for keeper in keepers { await keeper.settled() }
        }
        ending.request()
    }

    /// How long after the beginning of a stop a refresh may land. What is left until StopDeadline, put off by then, ends the process is for
    /// closing the store.
    private static let landing: Duration = .seconds(10)

    /// In the order in which they depend on each other: shut down backwards.
    private var services: [any Service] {
        var services: [any Service] = []
        if let notifier = premises.notifier {
            if let interval = Watchdog.interval(environment: premises.environment) {
                services.append(Watchdog(dispatcher: dispatcher, notifier: notifier, interval: interval))
            }
            services.append(
                StatusLine(notifier: notifier, news: [outbox.eventsWritten, spool.looked, rejected.changed]) {
                    // `try?`: where the store cannot be read, the sentence from before stays.
                    try? await station.publicSentence()
                })
        }
        let (clock, log) = (premises.clock, premises.log)
        return services + [
            Housekeeping(outbox: outbox, keepDelivered: configuration.keepDelivered, clock: clock, log: log),
            MemoryReturn(work: outbox.eventsWritten),
            DispatcherService(dispatcher: dispatcher),
            SessionWatch(keepers: keepers, outbox: outbox, dispatcher: dispatcher, spool: spool, clock: clock, log: log),
        ] + (spool.isEnabled ? [SpoolService(spool: spool)] : []) + [
            NetworkWatch(dispatcher: dispatcher, log: log),
            ControlServer(
                socket: socket, service: station, policy: AccessPolicy(groups: configuration.access, isOpenToAll: socket.isOpenToAll),
                log: log, onServing: announce),
        ]
    }

    @Sendable private func announce() {
        if opening.kind == .started {
            premises.log.info(
                "Homing is up",
                metadata: [
                    "version": "\(HomingVersion.current)", "socket": "\(socket.path)",
                    "spool": "\(spool.isEnabled ? spool.directory : "off")",
                ])
        } else if outbox.salvaged != nil {
            premises.log.notice("Homing goes on with what was saved of its store")
        } else {
            premises.log.notice("Homing goes on with the changed configuration")
        }
        premises.notifier?.tell(.ready)
        homing_forget_startup_code()
    }

    /// Another daemon is to open the store anew.
    private var needsSalvage: Bool { outbox.damage.isMet && ending.kind != .stop }

    private func close() async {
        let isReplaced = ending.kind == .retire || needsSalvage
        if !isReplaced { socket.close() }
        // A refresh under way may have turned the token over at the server: cut now, it would cost the session.
        if isReplaced {
            for keeper in keepers { await keeper.settled() }
        } else {
            for keeper in keepers { keeper.stop() }
            for keeper in keepers where await keeper.isTurningOver { StopDeadline.putOff() }
            await atMost(Self.landing - (ending.stoppedAt?.duration(to: .now) ?? .zero)) {
                for keeper in keepers { await keeper.landed() }
            }
        }
        for keeper in keepers {
            await keeper.flush()
            // Whom it told holds on to it in turn, and neither would let go of the state directory.
            await keeper.tellSignIns(to: nil)
        }
        // `try?`: the last words; if the disk refuses them, nothing that was acknowledged is lost.
        if !isReplaced { try? await outbox.record([SyncEvent(at: premises.clock.now, .stopped)]) }
        do { try outbox.close() } catch { premises.log.warning("The outbox did not close cleanly", metadata: ["error": "\(error)"]) }
        await transport.shutdown()
        if !isReplaced { premises.log.info("Homing has stopped") }
    }
}

/// Runs `work`, and cancels it where it takes longer.
private func atMost(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
        group.addTask(operation: work)
        group.addTask { try? await Task.sleep(for: limit, clock: .continuous) }  // `try?`: cancelled, the work is done
        await group.next()
        group.cancelAll()
    }
}
