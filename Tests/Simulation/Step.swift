/// One decision of the scheduler. Steps are self-contained, so that a list replays a world even with some left out.
package enum Step: Codable, Sendable, Equatable {
    /// An operation continues or ends with this fate. `pick` is an index modulo the number of operations under way.
    case finish(pick: Int, Fate)
    /// Time passes, in seconds, at most up to the timer.
    case pass(Double)
    /// The timer fires so many seconds late, or early if negative.
    case fire(lateBy: Double)
    /// A timer that was replaced fires anyway.
    case staleWake
    /// `after`: a lane with earlier entries that go first.
    case submit(backend: Int, account: Int, lane: Int, RouteKind, halts: Bool, Curse?, after: Int?, link: Link?, count: Int)
    case retry(pick: Int)
    case discard(pick: Int)
    /// A person looks at the backend, and says whether an uncertain entry took effect.
    case resolve(pick: Int)
    /// A person replaces an entry by a corrected one. `row`, `isByID`: as in `Link`; without a row, the new entry keeps that of the old one.
    case fix(pick: Int, row: Int?, isByID: Bool)
    /// The same correction arrives again, with the same id.
    case repeatFix(pick: Int)
    /// Destroys the content so many seconds later, unless it is restored.
    case discardLater(pick: Int, seconds: Double)
    case restore(pick: Int)
    case discardDue
    case sync(backend: Int?)
    case hurry(backend: Int?)
    case networkChanged
    /// In seconds; nil for no end.
    case pause(backend: Int, seconds: Double?)
    case resume(backend: Int)
    case signIn(backend: Int, account: Int)
    case sessionEnds(backend: Int)
    /// `kept`: the backend refuses and the session continues.
    case signOut(backend: Int, kept: Bool)
    case cut(backend: Int)
    case stop
    case start
    /// The process dies. `storeLands`: its last write completes. `effects`: a bit for each request in flight.
    case crash(isFault: Bool, storeLands: Bool, effects: UInt64)
    /// The last write of the run before the crash arrives now.
    case lateSettlement
    /// In seconds.
    case clock(offset: Double)
    case disk(isFull: Bool)
    /// A request without a response arrives at the backend.
    case lateArrival(pick: Int)
    case prune
}

/// What submitted entries have to do with rows of the backend.
package struct Link: Codable, Sendable, Equatable {
    /// The first entry creates a row. The others refer to it.
    var creates = false
    /// The row that the first entry refers to, and without `creates` all of them: one of the newest creates of the account, by its number from
    /// the newest on, modulo theirs.
    var row: Int?
    /// Refers to the row by the backend's id once that is known.
    var isByID = false
}

/// Whether a route can be looked up, and whether its backend honors keys.
package enum RouteKind: String, Codable, Sendable, CaseIterable {
    /// It can be looked up; keys are ignored.
    case found
    /// It cannot be looked up; keys are honored.
    case keyed
    /// It cannot be looked up, keys are ignored, and it may be sent twice.
    case blind
    case once
    case onceFound
}

/// The fate of one entry at every try.
package struct Curse: Codable, Sendable, Equatable {
    var fate: Fate
    /// Applies to look-ups instead of sends.
    var isOfLookUps: Bool
}
