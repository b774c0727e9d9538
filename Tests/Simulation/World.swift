import Backends
import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport
import Vault

/// One station with its backends, its people, its disk and its time, all of which the steps move; in it the real core over the real outbox.
package final class World {
    let plan: Plan
    let sabotage: Sabotage?
    let folder: TemporaryDirectory
    let vault = Vault(key: VaultKey())

    var outbox: Outbox
    /// Nil while the daemon is down.
    var core: DispatchState?
    /// What the core has been told, and what it has asked for.
    var view = View()
    var underway: [Underway] = []
    var model = Model()
    var ledger = Ledger()
    var keepers: [String: Keeper]
    /// The outbox of the run that crashed last, and what that run was still about to write.
    var earlier: (outbox: Outbox, settled: [Settled])?

    /// True time, in seconds; and how far the wall clock is off.
    var time: TimeInterval = 0
    var offset: TimeInterval = 0
    /// When the wall clock jumped last, in true time.
    var steppedAt: TimeInterval?
    /// In this run: when an entry of each route last got through, in true time, and which have failed since.
    var through: [RouteOfBackend: TimeInterval] = [:]
    var failing: [RouteOfBackend: Set<Int64>] = [:]
    /// What the backends' profiles make of their answers, as in production.
    let profiles: [String: Backend]
    /// When the timer goes off, in true time.
    var timer: TimeInterval?
    var isDiskFull = false
    private var submitted = 0
    private var wakes = 0

    /// Events fed to the core, and happenings in the world.
    package private(set) var events = 0
    package private(set) var faults: [String: Int] = [:]
    package var acknowledged: Int { submitted }
    package var duplicates: (all: Int, uncertain: Int) { (ledger.duplicates, ledger.uncertainDuplicates) }
    /// How long it took after the faults until everything was settled, in seconds of the world's time.
    package internal(set) var recovery: TimeInterval = 0

    /// Who is signed in at one backend.
    struct Keeper {
        var account: Account?
        var revision = 0
        /// Signing out, and who comes back if the backend keeps the session.
        var isLeaving = false
        var comesBack: Account?
    }

    /// - Parameter parent: the folder in which the world keeps its file.
    package init(_ plan: Plan, sabotage: Sabotage? = nil, in parent: String = Runner.folder) throws {
        self.plan = plan
        self.sabotage = sabotage
        folder = try TemporaryDirectory(in: parent)
        try Self.fresh.get().write(to: URL(fileURLWithPath: folder("outbox.sqlite")))
        outbox = try Outbox(
            file: folder("outbox.sqlite"), vault: vault, crashed: false, lookupAfter: Self.lookupAfter, now: Self.start)
        profiles = try Dictionary(uniqueKeysWithValues: plan.backends.map { ($0.name, try Profiles.backend($0)) })
        keepers = Dictionary(uniqueKeysWithValues: plan.backends.map { ($0.name, Keeper(account: Account(id: "1", label: "1"))) })
        try boot()
    }

    static let start = Date(timeIntervalSince1970: 1_765_000_000)
    /// A store as it is when it is new: to make one takes longer than many a world takes for the rest.
    private static let fresh = Result {
        let folder = try TemporaryDirectory(in: Runner.folder)
        let file = folder("outbox.sqlite")
        try Outbox(file: file, vault: Vault(key: VaultKey()), crashed: false, lookupAfter: lookupAfter, now: start).close()
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }
    /// Seconds; the policy's own.
    static let lookupAfter = retry.lookupAfter

    /// The daemon's own, but for the fortnight after which the last attempt of a lone entry counts: worlds are shorter.
    static let retry = {
        var policy = RetryPolicy()
        policy.lastLoneEntryPeriod = 5 * 3600
        return policy
    }()

    /// What the wall clock shows.
    var now: Date { Self.start.addingTimeInterval(time + offset) }
    var isRunning: Bool { core != nil }
    var names: [String] { plan.backends.map(\.name) }

    func backend(_ index: Int) -> Plan.Backend { plan.backends[index % plan.backends.count] }
    func backend(named name: String) -> Plan.Backend { plan.backends.first { $0.name == name } ?? plan.backends[0] }

    /// Counts something that has happened in the world; a fault by its name.
    func happened(_ fault: String? = nil) {
        events += 1
        if let fault { faults[fault, default: 0] += 1 }
    }

    func met(_ fault: String) { faults[fault, default: 0] += 1 }

    /// The number of a new submission.
    func number() -> Int {
        submitted += 1
        return submitted
    }

    /// Whether this timer is one that the sabotage forgets.
    func forgetsTimer() -> Bool {
        wakes += 1
        return sabotage == .forgetsTimers && wakes % 5 == 0
    }

    /// Steps until a guarantee is broken, then lets the faults stop and everything settle.
    package func run(_ steps: some Sequence<Step>) async throws {
        for step in steps { try await take(step) }
        try await settleDown()
    }
}

extension World {
    /// Something that takes its time, and may end after other things that began later.
    enum Underway {
        case store([Settled], [Destination: ClaimOrder])
        case attempt(Try)
        case probe(backend: String, isAbandoned: Bool)
        case checkSession(backend: String)
        case expire(Pause)
        case correct(Pause)
        case keepQuiet(Quiet)
        /// On its way to the core.
        case mail(DispatchEvent)
    }

    struct RouteOfBackend: Hashable {
        var backend, route: String
    }

    /// One entry on its way to its backend.
    struct Try {
        let entry: Entry
        var trip: Trip
        /// In true time.
        let began: TimeInterval
        /// Whose session the request bears, and its revision; nil before it is sent.
        var sent: (account: AccountID, revision: Int, at: TimeInterval)?
        var isCut = false
        /// How its last request ended, and how its send did; nil before that.
        var met, fate: Fate?

        var backend: String { entry.mutation.destination.backend }
    }

    var tries: [Try] {
        underway.compactMap { if case .attempt(let attempt) = $0 { attempt } else { nil } }
    }

    /// Something of the outbox is on its way: a write, or the news of it.
    var isStoring: Bool {
        underway.contains {
            switch $0 {
            case .store, .mail(.stored), .mail(.storeFailed): true
            default: false
            }
        }
    }

    func isProbing(_ backend: String) -> Bool {
        underway.contains {
            switch $0 {
            case .probe(backend, _), .mail(.probed(backend, _)): true
            default: false
            }
        }
    }

    /// An arrival is told once, however many there are before it is heard.
    func arrive() {
        guard isRunning else { return }
        let isTold = underway.contains { if case .mail(.arrived) = $0 { true } else { false } }
        if !isTold { underway.append(.mail(.arrived)) }
    }
}
