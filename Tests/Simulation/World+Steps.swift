import Backends
import Delivery
import Foundation
import Outbox
import SyncModel

extension World {
    func take(_ step: Step) async throws {
        switch step {
        case .finish(let pick, let fate):
            if !underway.isEmpty { try await finish(pick % underway.count, fate) }
        case .pass(let seconds): try pass(seconds)
        case .fire(let late): if timer != nil { try fire(lateBy: late) }
        case .staleWake: try feed(.woke)
        case .submit(let backend, let account, let lane, let route, let halts, let curse, let after, let link, let count):
            try await submit(self.backend(backend).name, account, lane, route, halts: halts, curse, after: after, link, count)
        case .retry, .discard, .resolve, .fix, .repeatFix, .discardLater, .restore, .discardDue: try await decide(step)
        case .sync(let backend): try await sync(backend.map { self.backend($0).name })
        case .hurry(let backend): try feed(.hurried(backend: backend.map { self.backend($0).name }))
        case .networkChanged: try feed(.networkChanged)
        case .pause(let backend, let seconds): try await pause(self.backend(backend).name, seconds)
        case .resume(let backend): try await resume(self.backend(backend).name)
        case .signIn(let backend, let account):
            let name = self.backend(backend).name
            let id = String(account % plan.accounts + 1)
            if keepers[name]?.isLeaving == false { setSession(name, Account(id: AccountID(id), label: id)) }
        case .sessionEnds(let backend): setSession(self.backend(backend).name, nil)
        case .signOut(let backend, let kept): try signOut(self.backend(backend).name, kept: kept)
        case .cut(let backend): try feed(.cut(backend: self.backend(backend).name))
        case .stop: if !view.isStopping { try feed(.stop) }
        case .start: if !isRunning { try reopen(isFault: false) }
        case .crash(let isFault, let storeLands, let effects): try await crash(isFault, storeLands, effects)
        case .lateSettlement: try await settleLate()
        case .clock(let offset): try setClock(offset)
        case .disk(let isFull):
            if isFull != isDiskFull { happened() }
            isDiskFull = isFull
        case .lateArrival(let pick): if !ledger.late.isEmpty { try arriveLate(pick % ledger.late.count) }
        case .prune: try await prune()
        }
    }

    func finish(_ index: Int, _ fate: Fate) async throws {
        switch underway.remove(at: index) {
        case .store(let settled, let slots): try await store(settled, slots)
        case .attempt(let attempt): try go(attempt, fate)
        case .probe(let backend, let isAbandoned):
            underway.append(.mail(.probed(backend: backend, probe(backend, fate, isAbandoned: isAbandoned))))
        case .checkSession(let backend): underway.append(.mail(news(backend)))
        // On a full disk this write is lost, and repeated at the next start.
        case .expire(let pause): if !isDiskFull { try await outbox.expire(pause, at: now) }
        case .correct(let pause): if !isDiskFull { try await outbox.correct(pause) }
        case .keepServerPause(let serverPause): if !isDiskFull { try await outbox.keep(serverPause) }
        case .mail(let event): try feed(event)
        }
    }

    private func probe(_ backend: String, _ fate: Fate, isAbandoned: Bool) -> Probe {
        if fate != .fine { met("probe: \(isAbandoned ? "calledOff" : fate.rawValue)") }
        if isAbandoned { return .failed(Failure(.stopping, "called off")) }
        if fate != .offline, !self.backend(named: backend).hasHealthRoute { return .well }
        guard let answer = Wire.answer(fate, content: Wire.health(keepers[backend]?.account?.id.rawValue)) else {
            return .failed(Failure(fate == .offline ? .offline : .lostAnswer, "no answer"))
        }
        return switch profiles[backend]?.health(answer) {
        case .well, .refused: .well
        case .ill(let failure, let wait): .failed(failure, retryAfter: wait)
        case .intercepted(let failure), .unreachable(let failure): .failed(failure)
        case nil: .failed(Failure(.offline, "no such backend"))
        }
    }

    /// Advances true time and delivers late requests that must arrive by then.
    func advance(to moment: TimeInterval) throws {
        while let index = ledger.late.firstIndex(where: { $0.until <= moment }) { try arriveLate(index) }
        time = max(time, moment)
    }

    private func pass(_ seconds: TimeInterval) throws {
        guard let timer, timer <= time + seconds else { return try advance(to: time + seconds) }
        try fire(lateBy: 0)
    }

    /// Fires the timer, a little early if the wall clock is slower than true time.
    func fire(lateBy seconds: TimeInterval) throws {
        guard let timer else { return }
        try advance(to: timer + seconds)
        self.timer = nil
        try feed(.woke)
    }

    private func arriveLate(_ index: Int) throws {
        let (item, account) = ledger.arrive(at: index)
        happened("arrivedLate")
        try checkNotReplaced(item)
        try ledger.take(
            item, as: account, wasUncertain: true, keyLifetime: backend(named: item.destination.backend).keyLifetime, lag: plan.listLag,
            at: time)
    }

    /// Late requests arrive first, since no deadline holds across a jump.
    func setClock(_ offset: TimeInterval) throws {
        guard offset != self.offset else { return }
        while !ledger.late.isEmpty { try arriveLate(0) }
        self.offset = offset
        steppedAt = time
        happened("clockStep")
    }

    /// A person checks only after late requests have arrived.
    func arriveLate(_ id: MutationID) throws {
        while let index = ledger.late.firstIndex(where: { $0.item.id == id }) { try arriveLate(index) }
    }
}
