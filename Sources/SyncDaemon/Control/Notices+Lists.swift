import ControlAPI
import Foundation
import SyncModel

extension Notices {
    /// Lists whose reads have failed for a day: deliveries do not need them.
    func failingLists(_ backend: BackendReport) -> [Attention] {
        guard backend.session.isSignedIn, backend.pause == nil else { return [] }
        return (backend.rosters ?? []).filter(isFailing).map { list in
            let commands = NextCommands(backend: summary.backends.count > 1 ? backend.name : nil)
            let age = list.readAt.map { ", which were last read \(summary.moment.distance($0))" } ?? ""
            let since = list.failingSince.map { " since \(summary.moment.text($0))" } ?? ""
            return Attention(
                .listFailing,
                "Reading your \(list.title.many) from \(backend.name)\(age), has failed\(since): \((list.failure ?? "").asSentence)",
                next:
                    "Tell the administrator of \(backend.name). Homing keeps trying, and delivers captures as before. To try now, run: \(commands.roster(list.resource, list.title.many, "--refresh"))"
            ).stating {
                ($0.name, $0.title, $0.at) = (list.title.many, list.title, list.readAt)
                ($0.since, $0.reason) = (list.failingSince, list.failureCause)
            }
        }
    }

    /// The daemon forgets the beginning of a failure when it stops, so an old list counts after an hour.
    private func isFailing(_ list: RosterSummary) -> Bool {
        guard let since = list.failingSince, list.failure != nil, list.failureCause != Failure.Reason.offline.rawValue else { return false }
        func isPast(_ date: Date?, _ patience: TimeInterval) -> Bool {
            date.map { summary.moment.now.timeIntervalSince($0) >= patience } ?? false
        }
        return isPast(since, Self.dayOfPatience) || isPast(since, 3600) && isPast(list.staleSince, Self.dayOfPatience)
    }

    /// In seconds.
    private static let dayOfPatience: TimeInterval = 86_400
}
