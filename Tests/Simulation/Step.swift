/// One decision of the scheduler, complete in itself: a list of them replays a world whatever has become of the sampler, and still means
/// something when some are left out.
package enum Step: Codable, Sendable, Equatable {
    /// Something that is under way goes on, or comes to its end like this. `pick` counts round and round through all that is under way.
    case finish(pick: Int, Fate)
    /// Time passes, in seconds; where that is past the time asked for, up to there.
    case pass(Double)
    /// The time asked for comes, so many seconds late; early where negative.
    case fire(lateBy: Double)
    /// A timer that was replaced goes off all the same.
    case staleWake
    /// `after`: another lane whose entries go first.
    case submit(backend: Int, account: Int, lane: Int, RouteKind, halts: Bool, Curse?, after: Int?, count: Int)
    case retry(pick: Int)
    case discard(pick: Int)
    case sync(backend: Int?)
    case hurry(backend: Int?)
    case networkChanged
    /// For so many seconds; without an end where nil.
    case pause(backend: Int, seconds: Double?)
    case resume(backend: Int)
    case signIn(backend: Int, account: Int)
    case sessionEnds(backend: Int)
    /// `kept`: the backend did not let go, and the session goes on.
    case signOut(backend: Int, kept: Bool)
    case cut(backend: Int)
    case stop
    case start
    /// The process is gone. `storeLands`: what it was about to write has been written. `effects`: a bit for each request on its way.
    case crash(isFault: Bool, storeLands: Bool, effects: UInt64)
    /// What the run before the last crash was still about to write arrives now.
    case lateSettlement
    /// The wall clock is so many seconds off.
    case clock(offset: Double)
    case disk(isFull: Bool)
    /// A request whose answer was lost arrives at the backend at last.
    case lateArrival(pick: Int)
    case prune
}

/// What a backend's profile says of a route, and whether the backend heeds keys.
package enum RouteKind: String, Codable, Sendable, CaseIterable {
    /// It can be looked up; keys are ignored.
    case found
    /// It cannot be looked up; keys are heeded.
    case keyed
    /// It cannot be looked up, keys are ignored, and it may be sent twice.
    case blind
    case once
    case onceFound
}

/// What one entry meets for ever, while others get through.
package struct Curse: Codable, Sendable, Equatable {
    var fate: Fate
    /// Of its look-ups, not of its sends.
    var isOfLookUps: Bool
}
