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
        try await status(for: ObserverView(caller), mayDestroy: caller.mayDestroy)
    }

    func status(for view: ObserverView = ObserverView(seesPeople: true), mayDestroy: Bool = false) async throws -> Status {
        let overview = try await outbox.overview()
        var summary = try await summary(of: overview, for: view)
        summary.deletedKey = keys.deletedFile.map { (path: $0, steps: KeyGone.next($0, in: stateDirectory)) }
        if mayDestroy {
            for (index, report) in summary.backends.enumerated() where keepers[report.name]?.backend.outboxOnSignOut == .drop {
                summary.backends[index].discardedBySigningOut = report.own.map(overview.tallies.undelivered)
            }
        }
        for (index, report) in summary.backends.enumerated() {
            summary.backends[index].rosters = try await rosterSummaries(report.session, for: view)
        }
        return Status(
            sentence: summary.sentence, attention: summary.attention, backends: summary.backends,
            spool: spool.settings.isEnabled || summary.spool.stuck + summary.spool.refused > 0 ? summary.spool : nil,
            version: HomingVersion.current, startedAt: startedAt, cursor: overview.cursor)
    }

    /// The first sentence without account names, because every local user can read it.
    func publicSentence() async throws -> String {
        try await summary(of: outbox.overview(), for: ObserverView(seesPeople: false)).withoutNames.sentence
    }

    private func summary(of overview: Overview, for view: ObserverView) async throws -> StatusSummary {
        var reports: [BackendReport] = []
        for keeper in keepers.values.sorted(by: { $0.backend.name < $1.backend.name }) {
            let overcome = try await self.overcome(at: keeper.backend.name)
            reports.append(report(keeper, await keeper.snapshot, overview, without: overcome, for: view))
            reports[reports.endIndex - 1].owedSignOuts = owed(await keeper.owedSignOuts, at: keeper.backend.name, for: view)
            try await nameRefusals(in: &reports[reports.endIndex - 1], for: view)
        }
        let files = spool.files
        let stuck = spool.stuckFiles
        let settings = spool.settings
        var spoolReport =
            settings.isEnabled
            ? SpoolReport(
                directory: spool.directory, waiting: max(0, files.waiting - stuck.waiting), refused: files.refused, stuck: stuck.count,
                stuckExample: stuck.example.map { .init(path: $0.path, reason: $0.reason, next: $0.next, cause: $0.cause) },
                unclaimed: files.unclaimed)
            : SpoolReport(off: spool.directory, holding: files.waiting + files.unclaimed, refused: files.refused)
        spoolReport.firstUnclaimed = view.seesPeople && spoolReport.unclaimed > 0 ? files.firstUnclaimed : nil
        spoolReport.refusedFiles = view.seesPeople && files.refused > 0 ? files.refusedNames : nil
        spoolReport.refusedPlaces = spoolReport.refusedFiles == nil ? nil : files.refusedPlaces
        let tallies = overview.talliesAfterDiscards
        let unknown = tallies.filter { keepers[$0.destination.backend] == nil && $0.state != .delivered && $0.state != .discarded }
        var summary = StatusSummary(
            backends: reports, spool: spoolReport, spoolBackend: settings.backend, stuckWaiting: settings.isEnabled ? stuck.waiting : 0,
            spoolFailure: settings.isEnabled ? spool.failure : nil, unclaimed: settings.unclaimed,
            withoutProfile: Dictionary(unknown.map { ($0.destination.backend, $0.count) }, uniquingKeysWith: +),
            room: try await outbox.room(), lowSpace: try await outbox.lowSpace(), rejectedConfiguration: rejected.reason,
            damages: SalvageReport.all(in: stateDirectory), commonNames: try await commonNames(overview.commonSubjects, view),
            kinds: kinds(tallies), moment: Moment(now: clock.now))
        for (index, report) in reports.enumerated() {
            summary.heldBack[report.name] = report.own.flatMap { overview.heldBack[$0] }
            summary.backends[index].sentence = summary.only(report).sentence
        }
        return summary
    }

    private func kinds(_ tallies: [Tally]) -> EntryKinds {
        tallies.reduce(into: [:]) { kinds, tally in
            let name = tally.destination.backend
            let kind = EntryKind(title: title(route: tally.route, at: keepers[name]?.backend), count: tally.count)
            kinds[name, default: [:]][tally.state, default: []].append(kind)
        }
    }

    /// How sentences of the status name the entries of a route.
    ///
    /// - Parameter backend: nil without a profile.
    private func title(route: String, at backend: Backend?) -> RosterTitle {
        route == spool.settings.route ? EntryKind.capture : backend?.kind(route: route) ?? RosterTitle(route: route)
    }

    private func commonNames(_ common: [CommonSubject], _ view: ObserverView) async throws -> [String: [Entry.State: SubjectReport]] {
        var names: [String: [Entry.State: SubjectReport]] = [:]
        let subjects = common.map { common in common.routes.map { Subject(common.destination, route: $0, common.subject) } }
        let reports = try await self.names(for: view).reports(Array(subjects.joined()))
        for (common, subjects) in zip(common, subjects) {
            let found = subjects.map { subject in subject.flatMap { reports[$0] } }
            // Two lists may have the same id.
            guard let report = found.first ?? nil, report.label != nil, found.allSatisfy({ $0 == report }) else { continue }
            names[common.destination.backend, default: [:]][common.state] = report
        }
        return names
    }

    private func report(
        _ keeper: SessionKeeper, _ snapshot: SessionSnapshot, _ overview: Overview, without overcome: [String: RouteGate],
        for view: ObserverView
    ) -> BackendReport {
        let name = keeper.backend.name
        let tallies = overview.tallies.filter { $0.destination.backend == name }
        var report = BackendReport(
            name: name, baseURL: keeper.backend.baseURL, gate: "", gateReason: nil,
            session: view.session(SessionReport(snapshot, at: keeper.backend)), queue: QueueReport(tallies),
            oldestWaiting: overview.oldest[name]?.acceptedAt, oldestWaitingID: overview.oldest[name]?.id,
            lastDelivered: tallies.filter { $0.state == .delivered }.compactMap(\.latest).max(), nextTry: nil, otherAccounts: [],
            formerAddress: keeper.foreignTo, pause: PauseReport(overview.pauses[name], at: clock.now))
        report.queue.discarding = overview.discarding.filter { $0.destination.backend == name }.map(\.count).reduce(0, +)
        report.queue.held -= report.queue.discarding
        report.queue.blocked = report.own.flatMap { overview.blocked[$0] } ?? 0
        report.queue.unseen = overview.unseen.filter { $0.key.backend == name }.values.reduce(0, +)
        let commands = commands(for: name)
        for tally in tallies where tally.state == .pending && tally.destination != report.own {
            let account = tally.destination.account
            if keeper.foreignTo != nil && !account.namesItsServer {
                report.waitingForFormerAddress = (report.waitingForFormerAddress ?? 0) + tally.count
            } else if let index = report.otherAccounts.firstIndex(where: { $0.account == account.rawValue }) {
                report.otherAccounts[index].waiting += tally.count
            } else {
                let label = view.labels(overview.labels)[tally.destination]
                report.otherAccounts.append(
                    WaitingAccount(
                        account: account.rawValue, email: label ?? "account \(account)", waiting: tally.count,
                        signInCommand: commands.needsNames ? commands.login(of: label) : nil))
            }
        }
        let gate = gate(of: name, report.pause, isSignedIn: report.session.isSignedIn, without: overcome)
        report.show(view.gate(gate, at: name), next: dispatcher.nextTry(of: name), at: clock.now)
        if report.knownGate == .open { report.connectedAt = dispatcher.connection(to: name) }
        let gates = dispatcher.routeGates(of: name).filter { overcome[$0.key] != $0.value }
        let routes = gates.sorted { $0.key < $1.key }.map { route, gate in
            var cooling = CoolingRoute(
                route: route, since: gate.since, until: gate.until, reason: view.failure(gate.failure, at: name).message)
            cooling.title = title(route: route, at: keeper.backend)
            return cooling
        }
        report.coolingRoutes = routes.isEmpty ? nil : routes
        report.signInCommand = commands.login(of: view.seesPeople ? report.session.email ?? report.awaited : nil)
        return report
    }

    /// Adds the server's words about a single entry that stops a route.
    private func nameRefusals(in report: inout BackendReport, for view: ObserverView) async throws(OutboxError) {
        let gates = dispatcher.routeGates(of: report.name)
        for (index, route) in (report.coolingRoutes ?? []).enumerated() {
            guard let gate = gates[route.route], let refusal = try await self.refusal(behind: gate, for: view) else { continue }
            report.coolingRoutes?[index].entry = refusal.id.description
            report.coolingRoutes?[index].reason = refusal.sentence
            let isWhole = dispatcher.gates[report.name] == .cooling(until: gate.until, gate.failure)
            if report.knownGate == .cooling, isWhole { report.gateReason = refusal.sentence }
        }
    }

    /// Nil for none.
    private func owed(_ signOuts: [(account: Account, until: Date)], at name: String, for view: ObserverView) -> [OwedSignOutReport]? {
        let moment = Moment(now: clock.now)
        let reports = signOuts.map { account, until in
            let email = view.seesPeople ? account.label : nil
            return OwedSignOutReport(
                account: account.id.rawValue, email: email, until: until,
                sentence:
                    "\(name) has not yet heard of the sign-out of \(email ?? "account \(account.id)"); Homing tries until \(moment.text(until))."
            )
        }
        return reports.isEmpty ? nil : reports
    }

    private func gate(of backend: String, _ pause: PauseReport?, isSignedIn: Bool, without overcome: [String: RouteGate]) -> Gate {
        if let pause { return .paused(until: pause.until, reason: pause.reason) }
        guard isSignedIn else { return .signInRequired }
        switch gate(of: backend, without: overcome) {
        case .paused?, nil: return .open
        case let gate?: return gate
        }
    }
}

extension BackendReport {
    /// The signed-in or previous account.
    fileprivate var own: Destination? { session.account.map { Destination(backend: name, account: AccountID($0)) } }

    /// - Parameter next: the next try through an open gate.
    fileprivate mutating func show(_ gate: SyncModel.Gate, next: Date?, at now: Date) {
        self.gate = gate.name
        gateReason = gate.reason
        switch gate {
        case .open: nextTry = next
        case .paused(let until, _):
            nextTry = until
            gateReason = pause.map { PauseText(pause: $0, moment: Moment(now: now)).sentence }
        case .cooling(let until, let failure):
            // After that time, the probe is running, or only the entries' own times have not come.
            nextTry = until > now ? until : next
            gateCause = failure.reason.rawValue
        case .signInRequired: gateReason = session.whyNotSignedIn
        }
        if queue.pending <= queue.blocked { nextTry = nil }
    }
}

extension QueueReport {
    fileprivate init(_ tallies: [Tally]) {
        let counts = Dictionary(tallies.map { ($0.state, $0.count) }, uniquingKeysWith: +)
        self.init(
            pending: counts[.pending] ?? 0, inflight: counts[.inflight] ?? 0, held: counts[.held] ?? 0, dead: counts[.dead] ?? 0,
            delivered: counts[.delivered] ?? 0, discarded: counts[.discarded] ?? 0)
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
            next:
                "Turn the drop folder on in the configuration, under ‘spool’. Or submit each file, then remove it. To submit one, run: homing submit FILE",
            cause: StuckFile.Cause.off.rawValue)
        self.init(directory: directory, waiting: 0, refused: refused, stuck: files, stuckExample: files > 0 ? example : nil)
    }
}
