import Backends
import Foundation
import Logging
import Outbox
import SyncModel

extension SessionKeeper {
    /// The stored ones. Destroys those that do not decode: no call can settle them.
    static func owed(at backend: Backend, in outbox: Outbox, now: Date) throws(OutboxError) -> [OwedSignOut] {
        var owed: [OwedSignOut] = []
        for stored in try outbox.owedSignOuts(of: backend.name) {
            // `try?`: nil means that it does not decode.
            if let debt = try? JSONDecoder().decode(OwedSignOut.self, from: stored.record) {
                owed.append(debt)
            } else {
                let detail = ["cause": "unreadable"]
                let event = SyncEvent(at: now, .signOutGivenUp, backend: backend.name, account: stored.account, detail: detail)
                try outbox.forgetOwedSignOut(of: stored.account, event)
            }
        }
        return owed
    }

    /// The sign-outs that the server has not heard of, with the time when Homing gives up.
    package var owedSignOuts: [(account: Account, until: Date)] { owed.all.map { ($0.shown, $0.until) } }

    /// Tells the server of its owed sign-outs, as far as it can be reached. Returns when to call this again; nil for never.
    package func tellOwed() async -> Date? {
        guard await waitForChange(), stopping == nil else { return nil }
        // Unstructured: an answer must be stored, though the caller is cancelled.
        let task = Task { await self.tellRound() }
        telling = task
        return await task.joined() == nil ? nil : nextTelling
    }

    private func tellRound() async {
        defer { telling = nil }
        if takeOwedHurry() { owed.hurry() }
        nextTelling = nil
        var event = OwedEvent.woke(quietUntil: quietUntil)
        while true {
            switch owed.on(event, at: clock.now) {
            case .refresh(let debt):
                if stopping != nil { return }
                event = await refreshTokens(of: debt)
            case .tell(let debt, let isRenewed):
                // `try?`: the call ends these tokens, so only a crash right now would miss them.
                if isRenewed { try? outbox.update(debt.stored, of: backend.name) }
                if stopping != nil { return }
                event = await sendCall(of: debt)
            case .end(let debt, let end): event = destroy(debt, end)
            case .wait(let until, let changed):
                // `try?`: without it, a restart forgoes the one refresh.
                if let changed { try? outbox.update(changed.stored, of: backend.name) }
                nextTelling = until
                return
            }
        }
    }

    /// Until when the server wants no requests; nil if it has asked for nothing.
    private var quietUntil: Date? {
        if owed.all.isEmpty { return nil }
        // `try?`: if the store cannot be read, the server asks again.
        let quiets = (try? outbox.quiets(at: clock.now)) ?? []
        return quiets.first { $0.backend == backend.name && $0.address == backend.address }?.until
    }

    private func refreshTokens(of debt: OwedSignOut) async -> OwedEvent {
        do throws(OutboxError) { try outbox.update(debt.stored, of: backend.name) } catch { return .unstored }
        return .refreshed(await scheme.refresh(debt.credentials, of: debt.account, over: transport) { false })
    }

    private func sendCall(of debt: OwedSignOut) async -> OwedEvent {
        let recording = RecordingTransport(transport, clock: clock)
        let server = await scheme.signOut(debt.credentials, allDevices: debt.allDevices, over: recording)
        if case .failed? = server { log.debug("The server has not heard of a sign-out", metadata: ["backend": "\(backend.name)"]) }
        return .told(server, askedToWait: recording.askedToWait)
    }

    private func destroy(_ debt: OwedSignOut, _ end: OwedEnd) -> OwedEvent {
        let event = end.event(of: debt, at: backend.name, now: clock.now)
        do throws(OutboxError) { try outbox.forgetOwedSignOut(of: debt.shown.id, event) } catch { return .unstored }
        owed.forget(debt)
        let text = event.kind == .signOutHeard ? "The server has heard of a sign-out" : "Gave up telling the server of a sign-out"
        log.notice("\(text)", metadata: ["backend": "\(backend.name)", "account": "\(debt.shown.id)"])
        return .woke(quietUntil: quietUntil)
    }

    /// After the store has it.
    func settleOwed(adding new: OwedSignOut?, forgetting void: OwedSignOut?) {
        if let void { owed.forget(void) }
        guard let new else { return }
        owed.add(new, at: clock.now)
        owedNews.send()
    }
}
