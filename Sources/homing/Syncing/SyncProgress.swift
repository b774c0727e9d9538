import ControlAPI

/// How far sending has come between two looks at the station.
struct SyncProgress: Sendable {
    let before: Status
    var now: Status
    /// Only this one counts; nil for all.
    let backend: String?

    var delivered: Int { grown { $0.delivered } }
    var dead: Int { grown { $0.dead } }
    var held: Int { grown { $0.held } }
    /// Entries that still go up by themselves under the accounts signed in now.
    var waiting: Int { reports(now).reduce(0) { $0 + $1.ownWaiting } }
    /// Of these, the ones behind an entry that waits for a person.
    var blocked: Int { reports(now).reduce(0) { $0 + $1.queue.blocked } }
    var total: Int { delivered + dead + held + waiting }

    /// Why a backend with waiting entries sends nothing just now, as a sentence.
    var obstacle: String? { reports(now).first { $0.ownWaiting > 0 && $0.gate != "open" }?.gateReason }

    /// Backends where entries wait and nobody can send them before signing in.
    var signInNeeded: [String] { reportsToSignInAt.map(\.name) }
    var reportsToSignInAt: [BackendReport] { reports(now).filter(Self.needsSignIn) }

    /// Backends where entries wait until somebody resumes sending; a pause that has an end is waited for.
    var paused: [String] { reports(now).filter(Self.isPaused).map(\.name) }

    /// Entries wait for a backend that no profile describes any more.
    var hasLostItsProfile: Bool { now.attention.contains { $0.code == "no-profile" } }

    /// Nothing more will go up without a person.
    var isOver: Bool { reports(now).allSatisfy { $0.ownWaiting <= $0.queue.blocked || Self.needsSignIn($0) || Self.isPaused($0) } }

    private static func isPaused(_ report: BackendReport) -> Bool {
        guard report.gate == "paused", let pause = report.pause else { return false }
        return pause.until == nil && report.ownWaiting > 0 && report.queue.inflight == 0
    }

    private static func needsSignIn(_ report: BackendReport) -> Bool {
        report.queue.waiting > 0 && (report.gate == "signInRequired" || ["signedOut", "signInRequired"].contains(report.session.state))
    }

    private func reports(_ status: Status) -> [BackendReport] { status.backends.filter { backend == nil || $0.name == backend } }

    private func grown(_ count: (QueueReport) -> Int) -> Int {
        let sums = [before, now].map { reports($0).reduce(0) { $0 + count($1.queue) } }
        return max(0, sums[1] - sums[0])
    }
}

/// What waiting came to, for scripts.
struct SyncOutcome: Encodable, Equatable {
    let delivered, waiting, blocked, dead, held: Int
    let signInNeeded: [String]
    let paused: [String]

    init(_ progress: SyncProgress) {
        (delivered, waiting, blocked) = (progress.delivered, progress.waiting, progress.blocked)
        (dead, held) = (progress.dead, progress.held)
        signInNeeded = progress.signInNeeded
        paused = progress.paused
    }
}
