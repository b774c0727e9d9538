import Backends
import Delivery
import Foundation
import Outbox
import Salvage
import SyncModel
import TestSupport
import Vault

/// A simulated station with the real core and the real outbox.
package final class World {
    let plan: Plan
    let sabotage: Sabotage?
    let folder: TemporaryDirectory
    let vault = Vault(key: VaultKey())

    var outbox: Outbox
    /// Nil while the daemon is down.
    var core: DispatchState?
    var view = View()
    var underway: [Underway] = []
    var model = Model()
    var ledger = Ledger()
    var keepers: [String: Keeper]
    /// The outbox of the last crashed run and its pending write.
    var earlier: (outbox: Outbox, settled: [Settled])?

    /// True time, and the offset of the wall clock, in seconds.
    var time: TimeInterval = 0
    var offset: TimeInterval = 0
    /// In true time.
    var steppedAt: TimeInterval?
    /// In this run: when each route last got through, in true time, and the entries that failed since.
    var through: [RouteOfBackend: TimeInterval] = [:]
    var failing: [RouteOfBackend: Set<Int64>] = [:]
    let profiles: [String: Backend]
    /// In true time.
    var timer: TimeInterval?
    var isDiskFull = false
    private var submitted = 0
    /// Submissions that the outbox refused, because they referred to nothing.
    var refused = 0
    /// The accepted corrections.
    var fixes: [Fix] = []
    private var wakes = 0

    package private(set) var events = 0
    package private(set) var faults: [String: Int] = [:]
    package var acknowledged: Int { submitted - refused }
    package var duplicates: (all: Int, uncertain: Int) { (ledger.duplicates, ledger.uncertainDuplicates) }
    /// Simulated seconds from the end of the faults until all is settled.
    package internal(set) var recovery: TimeInterval = 0

    struct Keeper {
        var account: Account?
        var revision = 0
        /// Signing out, and the account to restore if the backend keeps the session.
        var isLeaving = false
        var comesBack: Account?
    }

    package init(_ plan: Plan, sabotage: Sabotage? = nil, in parent: String = TemporaryDirectory.memory) throws {
        self.plan = plan
        self.sabotage = sabotage
        folder = try TemporaryDirectory(in: parent)
        try Self.fresh.get().write(to: URL(fileURLWithPath: folder("outbox.sqlite")))
        outbox = try StoreDoctor.open(
            file: folder("outbox.sqlite"), vault: vault, crashed: false, lookupAfter: Self.lookupAfter, now: Self.start
        ).outbox
        profiles = try Dictionary(uniqueKeysWithValues: plan.backends.map { ($0.name, try Profiles.backend($0)) })
        keepers = Dictionary(uniqueKeysWithValues: plan.backends.map { ($0.name, Keeper(account: Account(id: "1", label: "1"))) })
        try boot()
    }

    static let start = Date(timeIntervalSince1970: 1_765_000_000)
    /// Copied, since creating a store takes longer than most worlds.
    private static let fresh = Result {
        let folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
        let file = folder("outbox.sqlite")
        try StoreDoctor.open(file: file, vault: Vault(key: VaultKey()), crashed: false, lookupAfter: lookupAfter, now: start).outbox.close()
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }
    /// In seconds.
    static let lookupAfter = retry.lookupAfter

    /// The daemon's, except the two weeks after which a lone entry's last attempt counts.
    static let retry = {
        var policy = RetryPolicy()
        policy.lastLoneEntryPeriod = 5 * 3600
        return policy
    }()

    var now: Date { Self.start.addingTimeInterval(time + offset) }
    var isRunning: Bool { core != nil }
    var names: [String] { plan.backends.map(\.name) }

    func backend(_ index: Int) -> Plan.Backend { plan.backends[index % plan.backends.count] }
    func backend(named name: String) -> Plan.Backend { plan.backends.first { $0.name == name } ?? plan.backends[0] }

    func happened(_ fault: String? = nil) {
        events += 1
        if let fault { faults[fault, default: 0] += 1 }
    }

    func met(_ fault: String, times: Int = 1) {
        if times > 0 { faults[fault, default: 0] += times }
    }

    func number() -> Int {
        submitted += 1
        return submitted
    }

    func forgetsTimer() -> Bool {
        wakes += 1
        return sabotage == .forgetsTimers && wakes % 5 == 0
    }

    package func run(_ steps: some Sequence<Step>) async throws {
        for step in steps { try await take(step) }
        try await settleDown()
    }
}

extension World {
    /// An operation in progress; later ones may overtake it.
    enum Underway {
        case store([Settled], [Destination: ClaimOrder])
        case attempt(Try)
        case probe(backend: String, isAbandoned: Bool)
        case checkSession(backend: String)
        case expire(Pause)
        case correct(Pause)
        case keepServerPause(ServerPause)
        /// An event for the core.
        case mail(DispatchEvent)
    }

    struct RouteOfBackend: Hashable {
        var backend, route: String
    }

    struct Try {
        let entry: Entry
        /// With the backend's id of the row that it refers to.
        let mutation: Mutation
        var trip: DeliveryAttempt
        /// In true time.
        let began: TimeInterval
        /// The session that the request carries; nil before it is sent.
        var sent: (account: AccountID, revision: Int, at: TimeInterval)?
        var isCut = false
        /// The fates of its last request and of its send; nil before them.
        var met, fate: Fate?

        var backend: String { entry.destination.backend }
    }

    var tries: [Try] {
        underway.compactMap { if case .attempt(let attempt) = $0 { attempt } else { nil } }
    }

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

    /// At most one arrival event is pending.
    func arrive() {
        guard isRunning else { return }
        let isTold = underway.contains { if case .mail(.arrived) = $0 { true } else { false } }
        if !isTold { underway.append(.mail(.arrived)) }
    }
}
