import Backends
import Foundation
import SyncModel

/// The sign-outs that did not reach one backend's server: pure, without clock, network or disk. `SessionKeeper` performs the steps.
///
/// | rule | |
/// |---|---|
/// | heard | any answer that ends a sign-out ends it, and so does a 401 without a refresh left |
/// | refresh lost | then a 401 proves nothing, and it is given up |
/// | not heard | pauses that double from 5 s to 10 min; a person or a new network ends one, unless the server asked for it |
/// | refresh | one for each sign-out, if the token has expired or the server refuses it |
/// | a day | then it is over. A clock that is set back does not prolong it while the daemon runs |
/// | another address in the profile | nothing is sent; a day later it is over |
/// | the account signs in | given up, for every scheme: the call might end the new session |
struct OwedSignOuts: Sendable {
    private let backend: Backend
    /// The next one comes first.
    private(set) var all: [OwedSignOut]
    /// True while the server may be rotating a token.
    private(set) var isRefreshing = false
    private var backoff = RenewalBackoff()
    /// Ends that are decided and not stored.
    private var ends: [AccountID: OwedSignOut.End] = [:]
    private var seenAt: Date

    /// The longest wait, in seconds: the clock may be set.
    private static let longestWait: TimeInterval = 3600

    enum Event: Sendable {
        /// - Parameter pausedUntil: the server wants no requests before.
        case woke(pausedUntil: Date? = nil)
        case refreshed(RefreshAnswer)
        /// The answer as from `Scheme.signOut`, and until when the server asked to wait.
        case answered(SignOutOutcome.Server?, askedToWait: Date? = nil)
        /// The last step could not be stored, so it was not performed.
        case unstored
    }

    enum Step: Equatable, Sendable {
        /// Store this, refresh its tokens, and report `refreshed`.
        case refresh(OwedSignOut)
        /// Store this if it was renewed, send the call, and report `answered`.
        case call(OwedSignOut, isRenewed: Bool)
        /// Destroy the credentials in one transaction with the event, then `forget` it and report `woke`.
        case end(OwedSignOut, OwedSignOut.End)
        /// Store this, and report `woke` at that time; nil for never.
        case wait(until: Date?, storing: OwedSignOut? = nil)
    }

    init(_ stored: [OwedSignOut], backend: Backend, now: Date) { (all, self.backend, seenAt) = (stored, backend, now) }

    /// The one of this account, as the backend knows it.
    func owed(of account: AccountID) -> OwedSignOut? { all.first { $0.account.id == account } }

    mutating func add(_ owed: OwedSignOut, at now: Date) {
        follow(now)
        forget(owed)
        all.append(owed)
        if backoff.running(at: now) == nil { backoff.begin(Self.unheard, asked: nil, now: now) }
    }

    mutating func forget(_ owed: OwedSignOut) {
        all.removeAll { $0.shown.id == owed.shown.id }
        ends[owed.shown.id] = nil
    }

    /// A person or the network wants a try now.
    mutating func hurry() { backoff.hurry() }

    mutating func on(_ event: Event, at now: Date) -> Step {
        follow(now)
        let wasRefreshing = isRefreshing
        isRefreshing = false
        switch event {
        case .woke(let pausedUntil): return next(pausedUntil, at: now)
        case .refreshed(let answer): return refreshed(answer, at: now)
        case .answered(let server, let asked): return answered(server, asked, at: now)
        case .unstored:
            if wasRefreshing, let index { all[index].refresh = .possible }
            return failed(Failure(.unreadable, "The store cannot be written."), asked: nil, at: now)
        }
    }

    private static let unheard = Failure(.serverError, "The server has not heard of a sign-out.")

    /// A clock that was set back takes the ends with it.
    private mutating func follow(_ now: Date) {
        let step = now.timeIntervalSince(seenAt)
        if step < 0 { for index in all.indices { all[index].until += step } }
        seenAt = now
    }

    /// The one whose turn it is.
    private var index: Int? { all.firstIndex { ends[$0.shown.id] == nil && $0.isBound(to: backend.profile) } }

    private mutating func next(_ pausedUntil: Date?, at now: Date) -> Step {
        for owed in all where ends[owed.shown.id] == nil {
            if owed.isOver(at: now) { ends[owed.shown.id] = .dayHasPassed }
            if !backend.profile.auth.logout.retriesOwed { ends[owed.shown.id] = .profile }
        }
        for owed in all { if let end = ends[owed.shown.id] { return .end(owed, end) } }
        guard let index else { return wait(at: now) }
        if let until = [pausedUntil, backoff.running(at: now)?.until].compactMap(\.self).max() { return wait(until, at: now) }
        return isStale(all[index], at: now) ? refresh(index) : .call(all[index], isRenewed: false)
    }

    private func isStale(_ owed: OwedSignOut, at now: Date) -> Bool {
        mayRefresh(owed) && owed.credentials.tokens?.isStale(at: now, skew: backend.profile.auth.skew) == true
    }

    private func mayRefresh(_ owed: OwedSignOut) -> Bool {
        owed.refresh == .possible && backend.profile.auth.renewals.contains(.refresh) && owed.credentials.tokens?.refresh != nil
    }

    /// False if the server may have issued others.
    private func hasNewestTokens(_ owed: OwedSignOut) -> Bool {
        switch owed.refresh {
        case .possible: !owed.refreshWasLost
        case .sent: false
        case .renewed: true
        }
    }

    private mutating func refresh(_ index: Int) -> Step {
        all[index].refresh = .sent
        isRefreshing = true
        return .refresh(all[index])
    }

    private mutating func refreshed(_ answer: RefreshAnswer, at now: Date) -> Step {
        guard let index else { return next(nil, at: now) }
        switch answer {
        case .renewed(let credentials):
            all[index].credentials = credentials
            all[index].refresh = .renewed
            return .call(all[index], isRenewed: true)
        case .confirmed, .impossible: return .call(all[index], isRenewed: false)
        case .ended, .foreign: return end(all[index], all[index].refreshWasLost ? .refreshLost : .heard(.alreadyGone))
        case .unavailable(let failure, let until):
            // The server has rotated nothing.
            if !failure.outcomeUnknown { all[index].refresh = .possible }
            return failed(failure, asked: until, storing: true, at: now)
        }
    }

    private mutating func answered(_ server: SignOutOutcome.Server?, _ asked: Date?, at now: Date) -> Step {
        guard let index else { return next(nil, at: now) }
        switch server {
        case nil where mayRefresh(all[index]): return refresh(index)
        case nil: return end(all[index], hasNewestTokens(all[index]) ? .heard(.alreadyGone) : .refreshLost)
        case .some(.none): return end(all[index], .profile)
        // Storing renewed tokens before the call may have failed.
        case .failed?: return failed(Self.unheard, asked: asked, storing: all[index].refresh != .possible, at: now)
        case let server?: return end(all[index], .heard(server))
        }
    }

    private mutating func end(_ owed: OwedSignOut, _ end: OwedSignOut.End) -> Step {
        ends[owed.shown.id] = end
        backoff.end()
        return .end(owed, end)
    }

    /// Pauses, and lets the others go first.
    private mutating func failed(_ failure: Failure, asked: Date?, storing isChanged: Bool = false, at now: Date) -> Step {
        backoff.begin(failure, asked: asked, now: now)
        guard let index else { return wait(backoff.running(at: now)?.until, at: now) }
        let owed = all.remove(at: index)
        all.append(owed)
        return wait(backoff.running(at: now)?.until, storing: isChanged ? owed : nil, at: now)
    }

    /// An end that could not be stored waits for the pause.
    private func wait(_ pause: Date? = nil, storing changed: OwedSignOut? = nil, at now: Date) -> Step {
        if all.isEmpty { return .wait(until: nil) }
        let latest = now.addingTimeInterval(Self.longestWait)
        let untils = all.filter { ends[$0.shown.id] == nil }.map(\.until)
        return .wait(until: untils.reduce(min(pause ?? latest, latest)) { min($0, $1) }, storing: changed)
    }
}
