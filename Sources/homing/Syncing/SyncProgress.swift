import ControlAPI

struct SyncProgress: Sendable {
    let before: Status
    var now: Status
    /// The backend to count; nil for all.
    let backend: String?

    var delivered: Int { grown { $0.delivered } }
    var dead: Int { grown { $0.dead } }
    var held: Int { grown { $0.held } }
    /// Entries of the signed-in accounts that Homing still delivers without help.
    var waiting: Int { reports(now).reduce(0) { $0 + $1.ownWaiting } }
    /// The waiting entries behind an entry that needs a person.
    var blocked: Int { reports(now).reduce(0) { $0 + $1.queue.blocked } }
    var total: Int { delivered + dead + held + waiting }

    /// Why a backend with waiting entries sends nothing, as a sentence.
    var obstacle: String? { reports(now).first { $0.ownWaiting > 0 && $0.knownGate != .open }?.gateReason }

    /// Backends with entries that need a sign-in.
    var signInNeeded: [String] { reportsToSignInAt.map(\.name) }
    var reportsToSignInAt: [BackendReport] { reports(now).filter(Self.needsSignIn) }

    /// Backends with waiting entries whose pause has no end.
    var paused: [String] { reports(now).filter(Self.isPaused).map(\.name) }

    /// True if entries wait for a backend without a profile.
    var hasLostItsProfile: Bool { now.attention.contains { $0.knownCode == .noProfile } }

    /// True if nothing more is delivered without a person.
    var isOver: Bool { reports(now).allSatisfy { $0.ownWaiting <= $0.queue.blocked || Self.needsSignIn($0) || Self.isPaused($0) } }

    private static func isPaused(_ report: BackendReport) -> Bool {
        guard report.knownGate == .paused, let pause = report.pause else { return false }
        return pause.until == nil && report.ownWaiting > 0 && report.queue.inflight == 0
    }

    private static func needsSignIn(_ report: BackendReport) -> Bool {
        report.queue.waiting > 0
            && (report.knownGate == .signInRequired || [.signedOut, .signInRequired].contains(report.session.knownState))
    }

    private func reports(_ status: Status) -> [BackendReport] { status.backends.filter { backend == nil || $0.name == backend } }

    private func grown(_ count: (QueueReport) -> Int) -> Int {
        let sums = [before, now].map { reports($0).reduce(0) { $0 + count($1.queue) } }
        return max(0, sums[1] - sums[0])
    }
}

/// The result of `homing sync --wait` as JSON.
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
