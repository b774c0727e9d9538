import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Outbox
import Salvage
import Sessions
import SyncModel

extension ControlHandler {
    func status(_ request: NoInput, by caller: Caller) async throws -> Status {
        var status = try await status(for: ObserverView(caller))
        guard caller.mayDestroy else { return status }
        for index in status.backends.indices {
            let report = status.backends[index]
            guard keepers[report.name]?.backend.outboxOnSignOut == .drop, let account = report.session.account else { continue }
            status.backends[index].discardedBySigningOut = try await undelivered(
                Destination(backend: report.name, account: AccountID(account)))
        }
        return status
    }

    func status(for view: ObserverView = ObserverView(seesPeople: true)) async throws -> Status {
        let (summary, cursor) = try await summary(for: view)
        return Status(
            sentence: summary.sentence, attention: summary.attention, backends: summary.backends,
            spool: spool.settings.isEnabled || summary.spool.stuck + summary.spool.refused > 0 ? summary.spool : nil,
            version: HomingVersion.current, startedAt: startedAt, cursor: cursor)
    }

    /// The first sentence without account names: every local user can read it.
    func publicSentence() async throws -> String { try await summary(for: ObserverView(seesPeople: false)).summary.withoutNames.sentence }

    private func summary(for view: ObserverView) async throws -> (summary: StatusSummary, cursor: Int64) {
        let overview = try await outbox.overview()
        let tallies = overview.tallies
        let labels = view.labels(try await outbox.accountLabels())
        let pauses = try await pauses()
        var reports: [BackendReport] = []
        for keeper in keepers.values.sorted(by: { $0.backend.name < $1.backend.name }) {
            reports.append(try await report(keeper, overview, labels, pauses[keeper.backend.name], for: view))
        }
        let files = spool.files
        let stuck = spool.stuckFiles
        let settings = spool.settings
        let failure = settings.isEnabled ? spool.failure : nil
        let spool =
            settings.isEnabled
            ? SpoolReport(
                directory: spool.directory, waiting: files.waiting, refused: files.refused, stuck: stuck.count,
                stuckExample: stuck.example.map { .init(path: $0.path, reason: $0.reason, next: $0.next) },
                unclaimed: files.unclaimed)
            : SpoolReport(off: spool.directory, holding: files.waiting + files.unclaimed, refused: files.refused)
        let unknown = Dictionary(
            grouping: tallies.filter { keepers[$0.destination.backend] == nil && !$0.state.isFinal }, by: \.destination.backend)
        var summary = StatusSummary(
            backends: reports, spool: spool, spoolBackend: settings.backend, stuckWaiting: settings.isEnabled ? stuck.waiting : 0,
            spoolFailure: failure, unclaimed: settings.unclaimed, withoutProfile: unknown.mapValues { $0.map(\.count).reduce(0, +) },
            room: try await outbox.room(), rejectedConfiguration: rejected.reason,
            damages: SalvageReport.all(in: stateDirectory), moment: Moment(now: clock.now))
        summary.backends = reports.map { report in
            var report = report
            report.sentence = summary.only(report).sentence
            return report
        }
        return (summary, overview.cursor)
    }

    /// The active pauses. The outbox knows of a pause, and of its end, before the dispatcher.
    func pauses() async throws -> [String: Pause] {
        let now = clock.now
        return try await outbox.pauses()
            .mapValues { $0.corrected(at: now) }.filter { !$0.value.isOver(at: now) }
    }

    private func gate(of backend: String, _ pause: Pause?, isSignedIn: Bool) -> Gate {
        if let pause { return .paused(until: pause.until, reason: pause.reason) }
        guard isSignedIn else { return .signInRequired }
        switch dispatcher.gates[backend] {
        case .paused?, nil: return .open
        case let gate?: return gate
        }
    }

    private func report(
        _ keeper: SessionKeeper, _ overview: Overview, _ labels: [Destination: String], _ stored: Pause?, for view: ObserverView
    ) async throws -> BackendReport {
        let name = keeper.backend.name
        let session = view.session(SessionReport(await keeper.snapshot, at: keeper.backend))
        let tallies = overview.tallies.filter { $0.destination.backend == name }
        let own = session.account.map { Destination(backend: name, account: AccountID($0)) }
        let gate = view.gate(gate(of: name, stored, isSignedIn: session.isSignedIn), at: name)
        let oldest = try await outbox.oldestWaiting(at: name)
        func count(_ state: Entry.State) -> Int { tallies.filter { $0.state == state }.map(\.count).reduce(0, +) }
        let others = Dictionary(
            grouping: tallies.filter { $0.state == .pending && $0.destination != own }, by: \.destination)
        func isElsewhere(_ account: AccountID) -> Bool { keeper.foreignTo != nil && !SessionKeeper.namesItsServer(account) }
        let elsewhere = others.filter { isElsewhere($0.key.account) }.values.joined().map(\.count).reduce(0, +)
        let pause = stored.map(PauseReport.init)
        let commands = commands(for: name)
        var nextTry: Date?
        var reason: String?
        var cause: String?
        switch gate {
        case .paused(let until, _):
            nextTry = until
            reason = pause.map { PauseText(pause: $0, moment: Moment(now: clock.now)).sentence }
        case .open: nextTry = dispatcher.nextTry(of: name)
        case .cooling(let until, let failure):
            // After that time the probe is already running.
            nextTry = until > clock.now ? until : nil
            reason = failure.message
            cause = failure.reason.rawValue
        case .signInRequired: reason = session.whyNotSignedIn
        }
        let blocked = own.flatMap { overview.blocked[$0] } ?? 0
        if count(.pending) <= blocked { nextTry = nil }
        var report = BackendReport(
            name: name, baseURL: keeper.backend.baseURL, gate: gate.name, gateReason: reason, session: session,
            queue: QueueReport(
                pending: count(.pending), inflight: count(.inflight), held: count(.held), dead: count(.dead), delivered: count(.delivered),
                discarded: count(.discarded), blocked: blocked,
                unseen: overview.unseen.filter { $0.key.backend == name }.values.reduce(0, +)),
            oldestWaiting: oldest?.acceptedAt, oldestWaitingID: oldest?.id,
            lastDelivered: tallies.filter { $0.state == .delivered }.compactMap(\.latest).max(), nextTry: nextTry,
            otherAccounts: others.filter { !isElsewhere($0.key.account) }.sorted { $0.key < $1.key }.map { destination, rows in
                WaitingAccount(
                    account: destination.account.rawValue, email: labels[destination] ?? "account \(destination.account)",
                    waiting: rows.map(\.count).reduce(0, +),
                    signInCommand: commands.needsNames ? commands.login(of: labels[destination]) : nil)
            }, formerAddress: keeper.foreignTo, waitingForFormerAddress: elsewhere > 0 ? elsewhere : nil, pause: pause, gateCause: cause)
        let cooling = dispatcher.routeGates(of: name).sorted { $0.key < $1.key }.map { route, gate in
            CoolingRoute(route: route, since: gate.since, until: gate.until, reason: view.failure(gate.failure, at: name).message)
        }
        report.coolingRoutes = cooling.isEmpty ? nil : cooling
        report.signInCommand = commands.login(of: view.seesPeople ? session.email ?? report.awaited : nil)
        return report
    }
}

extension SessionReport {
    /// Why nothing can be sent in this session state, as a sentence.
    fileprivate var whyNotSignedIn: String {
        let why = Self.because(reason)
        switch knownState {
        case .signInRequired: return "The session\(email.map { " of \($0)" } ?? "") has ended\(why)"
        case .signingOut: return "A sign-out is in progress."
        case .signedOut, .signedIn, .unknown: return "Not signed in\(why)"
        }
    }
}

extension SpoolReport {
    /// For a disabled drop folder: its files are not taken.
    fileprivate init(off directory: String, holding files: Int, refused: Int) {
        let example = StuckFile(
            path: "\(directory)/new", reason: "the drop folder is turned off",
            next: "Submit them with ‘homing submit’ and remove them, or turn the drop folder on in the configuration, under ‘spool’.")
        self.init(directory: directory, waiting: 0, refused: refused, stuck: files, stuckExample: files > 0 ? example : nil)
    }
}

extension Entry.State {
    fileprivate var isFinal: Bool { self == .delivered || self == .discarded }
}
