import ControlAPI
import Foundation
import SyncModel

/// The state of one backend in a bug report, without its name.
struct BackendFigures: Encodable, Equatable {
    let gate: ListedWord<BackendReport.Gate>
    /// Nil for none, or for one that this program does not know.
    let gateCause: ListedWord<Failure.Reason>?
    let session: ListedWord<SessionReport.State>
    let signInBy: ListedWord<SessionReport.SignInMeans>
    let isPasswordKept: Bool
    let isSessionFailing: Bool
    let queue: QueueReport
    let hoursOfOldestWaiting: Int?
    let hoursSinceDelivery: Int?
    let otherAccounts: Int
    let waitingForOthers: Int
    let isPaused: Bool
    let coolingRoutes: Int
    let lists: WordCounts<RosterReport.State>
    let failingLists: Int
    let owedSignOuts: Int

    init(_ report: BackendReport, now: Date) {
        gate = ListedWord(report.knownGate)
        gateCause = report.gateCause.flatMap(Failure.Reason.init).map { ListedWord($0) }
        session = ListedWord(report.session.knownState)
        signInBy = ListedWord(report.session.knownSignInMeans)
        isPasswordKept = report.session.remembered
        isSessionFailing = report.session.failingSince != nil
        queue = report.queue
        hoursOfOldestWaiting = now.hours(since: report.oldestWaiting)
        hoursSinceDelivery = now.hours(since: report.lastDelivered)
        otherAccounts = report.otherAccounts.count
        waitingForOthers = report.waitingForOthers
        isPaused = report.pause != nil
        coolingRoutes = report.coolingRoutes?.count ?? 0
        lists = WordCounts((report.rosters ?? []).map { RosterReport.State(rawValue: $0.state) ?? .unknown })
        failingLists = (report.rosters ?? []).count { $0.failure != nil }
        owedSignOuts = report.owedSignOuts?.count ?? 0
    }
}
