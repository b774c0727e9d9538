import Backends
import CSystemLinux
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Notifying
import Outbox
import ServiceLifecycle
import Sessions
import SyncModel

extension Daemon {
    /// Runs until `stop`, `retire` or cancellation; once per daemon. Throws `OutboxError.damaged` after damage to the store: the next
    /// daemon salvages readable entries.
    package func run() async throws {
        do {
            try await outbox.record([opening])
            try forgetOutdated()
            try outbox.forgetOwedSignOuts(except: backends.map(\.name), at: context.clock.now)
            for keeper in keepers {
                try await holdUnfindable(at: keeper.backend)
                try await release(at: keeper.backend)
            }
        } catch {
            // An open store would keep the next daemon from salvaging it.
            if needsSalvage { await close() }
            throw error
        }
        // Both before any sign-in: a returning account's entries must not be discarded, nor earlier files taken for its own.
        for keeper in keepers { await keeper.completeSignOut() }
        await spool.accountMayHaveChanged()
        // By type, because errors would show the default name, which is the whole description.
        let named = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: "\(type(of: $0))") }
        var group = ServiceGroupConfiguration(services: named, logger: context.log)
        // In-flight entries are handed back well before this limit; then the rest is cancelled. A limit on cancellation would end in a
        // trap, which the next start would take for a crash.
        group.maximumGracefulShutdownDuration = .seconds(4)
        let damageMet = outbox.damage.met.listen()
        let placeChanged = outbox.place.changed.listen()
        // Damage found before `listen` sends no signal.
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
            tasks.addTask { for await _ in placeChanged { tellOfPlace() } }
            defer { tasks.cancelAll() }
            do { return .success(try await running.run()) } catch { return .failure(error) }
        }
        await close()
        if needsSalvage { throw OutboxError.damaged(outbox.damage.reason ?? "") }
        try outcome.get()
    }

    /// Lists that were read with another declaration or address, and notifications that are no longer wanted.
    private func forgetOutdated() throws(OutboxError) {
        let rules = backends.flatMap { backend in
            backend.resources.map { RosterRule(backend: backend.name, resource: $0.name, rule: $0.source) }
        }
        do {
            try outbox.forgetRosters(except: rules)
            try outbox.forgetNotifications(except: configuration.notify?.rule)
        } catch {
            if needsSalvage { throw error }
            context.log.warning(
                "Outdated lists or notifications could not be deleted; the next start tries again", metadata: ["error": "\(error)"])
        }
    }

    /// Holds uncertain entries that only the profile which sent them could find.
    private func holdUnfindable(at backend: Backend) async throws(OutboxError) {
        let held = try await outbox.claimLookupRules(backend.matches, of: backend.name, at: context.clock.now)
        guard held > 0 else { return }
        context.log.warning(
            "Entries are on hold: the profile’s marker or find.match has changed since they were sent",
            metadata: ["backend": "\(backend.name)", "count": "\(held)"])
    }

    /// Releases entries that did not fit an earlier profile and fit this one.
    private func release(at backend: Backend) async throws(OutboxError) {
        let released = try await outbox.releaseMisfits(of: backend.name, at: context.clock.now) { backend.misfit(of: $0) == nil }
        guard released > 0 else { return }
        context.log.notice(
            "Entries fit the profile again and will be sent", metadata: ["backend": "\(backend.name)", "count": "\(released)"])
    }

    /// Stops within five seconds: hands back in-flight entries and closes the socket. A token refresh in progress may take ten.
    package func stop() {
        ending.begin(.stop)
        for keeper in keepers { keeper.stop() }
        // At once: the control channel shuts down first, and a hanging sign-in must not use up the dispatcher's time.
        dispatcher.stop()
        socket.close()
        ending.request()
    }

    /// Lets another daemon take over: finishes current sends and answers calls meanwhile. Later clients wait for the next daemon. `stop`
    /// still ends it at once.
    package func retire() async {
        ending.begin(.retire)
        let limit = max(configuration.limits.exchange, backends.compactMap(\.longestRequest).max() ?? .zero) + configuration.limits.connect
        await atMost(limit + .seconds(2)) {
            await dispatcher.finish(within: limit.seconds)
            for keeper in keepers { await keeper.settled() }
        }
        ending.request()
    }

    /// The time for a refresh after a stop. The rest until the postponed StopDeadline is for closing the store.
    private static let refreshLimit: Duration = .seconds(10)

    /// In dependency order; shut down in reverse.
    private var services: [any Service] {
        var services: [any Service] = []
        if let notifier = context.notifier {
            if let interval = Watchdog.interval(environment: context.environment) {
                services.append(Watchdog(dispatcher: dispatcher, notifier: notifier, interval: interval))
            }
            services.append(
                StatusLine(notifier: notifier, news: [outbox.eventsWritten, outbox.place.changed, spool.looked, rejected.changed]) {
                    // `try?`: if the store cannot be read, the previous sentence stays.
                    try? await handler.publicSentence()
                })
        }
        let (clock, log) = (context.clock, context.log)
        return services + [
            Housekeeping(outbox: outbox, rosters: rosters, keepDelivered: configuration.keepDelivered, clock: clock, log: log),
            Resealer(keys: context.keys, outbox: outbox, clock: clock, log: log),
            MemoryReturn(work: outbox.eventsWritten),
            RosterService(rosters: rosters),
            DispatcherService(dispatcher: dispatcher),
            SessionWatch(
                keepers: keepers, outbox: outbox, dispatcher: dispatcher, rosters: rosters, spool: spool, clock: clock, log: log),
        ] + (spool.settings.isEnabled ? [SpoolService(spool: spool)] : []) + notifying + [
            NetworkWatch(dispatcher: dispatcher, notifications: outbox.notificationsDue, log: log),
            ControlServer(socket: socket, service: handler.service, policy: policy, log: log, onServing: announce),
        ]
    }

    /// Empty without a receiver.
    private var notifying: [any Service] {
        guard let notify = configuration.notify else { return [] }
        let view = ObserverView(seesPeople: notify.rules.names)
        let (station, clock, log) = (StationMessage.hostName, context.clock, context.log)
        var services: [any Service] = [
            NotificationWatch(outbox: outbox, notify: notify, station: station, clock: clock, log: log) {
                try await handler.status(for: view)
            }
        ]
        for receiver in receivers(of: notify, at: station) {
            services.append(NotificationSender(outbox: outbox, receiver: receiver, clock: clock, log: log))
        }
        return services
    }

    private func receivers(of notify: NotifyConfiguration, at station: String) -> [any NotificationReceiver] {
        var receivers: [any NotificationReceiver] = []
        if let webhook = notify.webhook {
            receivers.append(
                WebhookReceiver(webhook: webhook, environment: context.environment, transport: transport, log: context.log))
        }
        if let mail = notify.mail { receivers.append(MailReceiver(mail, station: station, log: context.log)) }
        return receivers
    }

    @Sendable private func announce() {
        if opening.kind == .started {
            context.log.info(
                "Homing is up",
                metadata: [
                    "version": "\(HomingVersion.current)", "socket": "\(socket.path)",
                    "spool": "\(spool.settings.isEnabled ? spool.directory : "off")",
                ])
        } else if wasSalvaged {
            context.log.notice("Resumed from the recovered store")
        } else {
            context.log.notice("Resumed with the changed configuration")
        }
        context.notifier?.tell(.ready)
        homing_forget_startup_code()
    }

    /// Another daemon will reopen the store.
    private var needsSalvage: Bool { outbox.damage.isMet && ending.kind != .stop }

    private func close() async {
        let isReplaced = ending.kind == .retire || needsSalvage
        if !isReplaced { socket.close() }
        // The server may have replaced the refresh token already; cutting the refresh would lose the session.
        for keeper in keepers { keeper.stop() }
        if isReplaced {
            for keeper in keepers { await keeper.settled() }
        } else {
            for keeper in keepers where await keeper.isRotating { StopDeadline.putOff() }
            await atMost(Self.refreshLimit - (ending.stoppedAt?.duration(to: .now) ?? .zero)) {
                for keeper in keepers { await keeper.landed() }
            }
        }
        for keeper in keepers { await keeper.flush() }
        // `try?`: only an event; acknowledged data is safe.
        if !isReplaced { try? await outbox.record([SyncEvent(at: context.clock.now, .stopped)]) }
        let lost = isReplaced ? nil : loss()
        do { try outbox.close() } catch { context.log.warning("The outbox did not close cleanly", metadata: ["error": "\(error)"]) }
        await transport.shutdown()
        if !isReplaced { context.log.info("Homing has stopped") }
        if let lost { tellOfLoss(lost) }
    }
}

/// Runs `work`; cancels it after `limit`.
private func atMost(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
        group.addTask(operation: work)
        group.addTask { try? await Task.sleep(for: limit, clock: .continuous) }  // `try?`: cancelled because `work` is done
        await group.next()
        group.cancelAll()
    }
}
