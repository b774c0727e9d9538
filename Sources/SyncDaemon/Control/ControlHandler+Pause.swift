import Backends
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    func pause(_ request: PauseRequest, by caller: Caller) async throws -> PauseList {
        let now = clock.now
        let names = try names(request.backend)
        let reason = (request.reason ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard reason.count <= Self.longestReason else {
            throw Problem.invalid("The reason has \(reason.count) characters; expected at most \(Self.longestReason).")
                .stating(.reasonTooLong) { ($0.count, $0.limit) = (reason.count, Self.longestReason) }
        }
        if let until = request.until, until <= now.addingTimeInterval(0.001) {
            throw Problem.invalid("The pause would be over already.", next: "Name a time in the future.").stating(.pauseIsOver)
        }
        let pauses = names.map { Pause(backend: $0, reason: reason, since: now, until: request.until, by: UserName(caller.peer.uid).short) }
        let revision = try await outbox.pause(pauses, by: caller.peer.description, at: now)
        for pause in pauses { dispatcher.pause(pause, revision: revision) }
        log.notice("Paused", metadata: ["backends": "\(names.joined(separator: ", "))", "by": "\(caller.peer)"])
        let tallies = try await outbox.tallies()
        let inflight = tallies.filter { $0.state == .inflight && names.contains($0.destination.backend) }
        return PauseList(pauses: pauses.map(PauseReport.init), inflight: inflight.map(\.count).reduce(0, +))
    }

    func resume(_ request: ResumeRequest, by caller: Caller) async throws -> PauseList {
        if let named = request.backend { _ = try keeper(named) }
        let (ended, revision) = try await outbox.resume(backend: request.backend, by: caller.peer.description, at: clock.now)
        for name in try names(request.backend) { dispatcher.resume(backend: name, revision: revision) }
        if !ended.isEmpty { log.notice("Resumed", metadata: ["backends": "\(ended.map(\.backend))", "by": "\(caller.peer)"]) }
        return PauseList(pauses: ended.map(PauseReport.init), inflight: 0)
    }

    /// In characters.
    private static let longestReason = 500

    private func names(_ named: String?) throws(Problem) -> [String] {
        if let named { return [try keeper(named).backend.name] }
        return keepers.keys.sorted()
    }
}

extension PauseReport {
    init(_ pause: Pause) {
        self.init(backend: pause.backend, reason: pause.reason, since: pause.since, until: pause.until, by: pause.by)
    }

    /// Nil without a pause, or after its end: the outbox learns of both before the dispatcher.
    init?(_ stored: Pause?, at now: Date) {
        guard let pause = stored?.corrected(at: now), !pause.isOver(at: now) else { return nil }
        self.init(pause)
    }
}
