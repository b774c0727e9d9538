import ControlAPI
import Foundation

/// Problems in sentences without names of people or files, and without words of servers, because monitoring systems store and show them.
struct NamelessText {
    let times: TimeText

    func sentence(of item: Attention) -> String {
        let backend = item.backend ?? "the backend"
        let count = item.facts?.count
        let entries = count.map { Words.entries($0) } ?? "Entries"
        let isOne = count == 1
        switch item.knownCode {
        case .dead: return "\(entries) for \(backend) \(isOne ? "was" : "were") refused or ran out of attempts."
        case .held: return "\(entries) for \(backend) \(isOne ? "is" : "are") on hold and \(isOne ? "needs" : "need") a decision."
        case .lookUpFailing: return "Looking up \(count.map { Words.entries($0) } ?? "entries") at \(backend) keeps failing."
        case .routeFailing: return route(item, backend)
        case .otherAccount: return "\(entries) for \(backend) \(isOne ? "is" : "are") waiting until another account signs in."
        case .otherAddress: return "\(entries) \(isOne ? "was" : "were") accepted for a former address of \(backend)."
        case .misconfigured: return "\(backend) does not match its profile\(waiting(item))."
        case .noSecureConnection, .clock, .networkSignIn: return "Homing cannot send to \(backend)\(waiting(item)), because \(cause(item))."
        case .signInRequired: return signIn(item, backend)
        case .sessionFailing: return "The session at \(backend) has not been renewed for over an hour\(waiting(item))."
        case .paused: return "Sending to \(backend) has been paused\(since(item))."
        case .dropFolderFailing: return "The drop folder cannot be emptied."
        case .stuckFiles:
            return "\(count.map { Words.count($0, "file", "files") } ?? "Files") in the drop folder cannot be accepted."
        case .listFailing: return "Reading a list from \(backend) has failed\(since(item))."
        case .configurationRejected: return "The changed configuration is not active, because it has mistakes."
        case .storeGone: return "\(item.text) Do not stop or restart it: run homing doctor."
        case .keyDeleted: return "\(item.text) Do not stop or restart the daemon: run homing doctor."
        case .storeDamaged, .diskFull, .outboxFull, .noProfile, .diskLow, .unclaimedFiles, .refusedFiles: return item.text
        case .unknown: return "The station needs a person (\(item.code))."
        }
    }

    /// Why a backend with waiting entries gets none; nil if it does.
    func obstacle(of report: BackendReport) -> String? {
        guard report.queue.waiting > 0 else { return nil }
        if report.pause != nil { return "Sending to \(report.name) is paused." }
        guard report.knownGate == .cooling else { return nil }
        return "Homing cannot deliver to \(report.name)\(Self.reason(report.gateCause).map { ": \($0)" } ?? "")."
    }

    /// The status of a station without problems.
    func well(_ status: Status) -> String {
        let waiting = status.waiting
        let obstacles = status.backends.compactMap(obstacle)
        if waiting > 0 { return (["\(Words.entriesWait(waiting))."] + obstacles).joined(separator: " ") }
        return status.total(\.delivered) > 0 ? "Everything has been delivered." : "Nothing is waiting."
    }

    private func route(_ item: Attention, _ backend: String) -> String {
        let kind = item.facts?.title?.one ?? "entry"
        guard item.facts?.since != nil else {
            return "\(backend) refused one \(kind)\(Words.othersWait(item.facts?.count ?? 0))."
        }
        return "\(backend) has accepted no \(kind)\(since(item))\(waiting(item))."
    }

    private func signIn(_ item: Attention, _ backend: String) -> String {
        guard item.facts?.reason == Attention.ended else {
            let entries = item.facts?.count.map { " \(Words.entriesWait($0))." } ?? ""
            return "Not signed in at \(backend).\(entries)"
        }
        return "The session at \(backend) has ended\(waiting(item))."
    }

    private func cause(_ item: Attention) -> String {
        switch item.knownCode {
        case .clock: "the clock of the station or of the server is wrong"
        case .networkSignIn: "the answer does not come from the backend"
        default: "no secure connection is possible"
        }
    }

    private static func reason(_ cause: String?) -> String? {
        switch cause {
        case "offline": "it cannot be reached"
        case "tls": "no secure connection is possible"
        case "intercepted": "the answer does not come from the backend"
        case "throttled": "it asks Homing to wait"
        case "serverError": "it answers with an error"
        default: nil
        }
    }

    private func since(_ item: Attention) -> String { item.facts?.since.map { " since \(times.relative($0))" } ?? "" }

    private func waiting(_ item: Attention) -> String {
        guard let count = item.facts?.count, count > 0 else { return "" }
        return ", and \(Words.entriesWait(count))"
    }
}
