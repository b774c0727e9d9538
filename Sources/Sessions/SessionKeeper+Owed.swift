import Backends
import Foundation
import Logging
import Outbox
import SyncModel

extension SessionKeeper {
    /// Destroys those that do not decode: no call can settle them.
    static func loadOwedDiscardingUnreadable(at backend: Backend, in outbox: Outbox, now: Date) throws(OutboxError) -> [OwedSignOut] {
        var owed: [OwedSignOut] = []
        for stored in try outbox.owedSignOuts(of: backend.name) {
            // `try?`: nil means that it does not decode.
            if let signOut = try? JSONDecoder().decode(OwedSignOut.self, from: stored.record) {
                owed.append(signOut)
            } else {
                let detail = ["cause": "unreadable"]
                let event = SyncEvent(at: now, .signOutGivenUp, backend: backend.name, account: stored.account, detail: detail)
                try outbox.endOwedSignOut(event)
            }
        }
        return owed
    }

    /// The owed sign-outs, with the time when Homing gives up.
    package var owedSignOuts: [(account: Account, until: Date)] { owed.all.map { ($0.shown, $0.until) } }

    /// Repeats the owed calls. Returns when to call this again; nil for never.
    package func repeatOwedSignOuts() async -> Date? {
        guard await waitForChange(), stopping == nil else { return nil }
        // Unstructured: an answer must be stored, even if the caller is cancelled. It ends when no call is due, or at a stop.
        let task = Task { await self.repeatOwed() }
        owedRound = task
        return await task.joined() == nil ? nil : nextOwedRound
    }

    private func repeatOwed() async {
        defer { owedRound = nil }
        if takeOwedHurry() { owed.hurry() }
        nextOwedRound = nil
        var event = OwedSignOuts.Event.woke(pausedUntil: await pausedUntil())
        while true {
            switch owed.on(event, at: clock.now) {
            case .refresh(let signOut):
                if stopping != nil { return }
                event = await refreshTokens(of: signOut)
            case .call(let signOut, let isRenewed):
                // `try?`: if the call fails, the wait stores them again.
                if isRenewed { try? outbox.update(signOut.stored, of: backend.name) }
                if stopping != nil { return }
                event = await sendCall(of: signOut)
            case .end(let signOut, let end): event = await destroy(signOut, end)
            case .wait(let until, let changed):
                // `try?`: the next wait tries again. A restart before that gives the sign-out up, or forgoes the one refresh.
                if let changed { try? outbox.update(changed.stored, of: backend.name) }
                nextOwedRound = until
                return
            }
        }
    }

    private func pausedUntil() async -> Date? {
        if owed.all.isEmpty { return nil }
        // `try?`: if the store cannot be read, the server asks again.
        return (try? await outbox.serverPause(of: backend.name, at: backend.address, now: clock.now))?.until
    }

    private func refreshTokens(of signOut: OwedSignOut) async -> OwedSignOuts.Event {
        do throws(OutboxError) { try outbox.update(signOut.stored, of: backend.name) } catch { return .unstored }
        return .refreshed(await scheme.refresh(signOut.credentials, of: signOut.account, over: transport) { false })
    }

    /// Signs out this device only: sessions on other devices may be newer than the sign-out.
    private func sendCall(of signOut: OwedSignOut) async -> OwedSignOuts.Event {
        let recording = RecordingTransport(transport, clock: clock)
        let server = await scheme.signOut(signOut.credentials, allDevices: false, over: recording)
        if case .failed? = server { log.debug("The server has not heard of a sign-out", metadata: ["backend": "\(backend.name)"]) }
        return .answered(server, askedToWait: recording.askedToWait)
    }

    private func destroy(_ signOut: OwedSignOut, _ end: OwedSignOut.End) async -> OwedSignOuts.Event {
        let event = signOut.event(of: end, at: backend.name, now: clock.now)
        do throws(OutboxError) { try outbox.endOwedSignOut(event) } catch { return .unstored }
        owed.forget(signOut)
        let text = event.kind == .signOutHeard ? "The server has heard of a sign-out" : "Gave up telling the server of a sign-out"
        log.notice("\(text)", metadata: ["backend": "\(backend.name)", "account": "\(signOut.shown.id)"])
        return .woke(pausedUntil: await pausedUntil())
    }
}
