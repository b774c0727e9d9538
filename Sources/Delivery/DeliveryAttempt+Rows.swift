import Backends
import Foundation
import Outbox
import Roster
import SyncModel

/// The row that an entry is about is read just before each send: a request that destroys something goes to no id that was not confirmed.
/// See Decisions/DeletingRows.md.
extension DeliveryAttempt {
    /// The values of a route with `row`.
    package struct Rows: Sendable {
        /// The word for many rows.
        let many: String
        /// An entry without its row counts as delivered.
        let absentIsDone: Bool
        /// The number of lists to read: that of the rows, and its parents before it.
        let levels: Int

        package init(many: String, absentIsDone: Bool, levels: Int = 1) {
            (self.many, self.absentIsDone, self.levels) = (many, absentIsDone, levels)
        }
    }

    /// One read of all rows, and a second one if the row is not among them, or a row is there twice.
    struct Search: Sendable {
        var passes = RosterPasses(levels: 1)
        /// The rows of the first read, which alone proves nothing; nil before that.
        var first: [RosterID]?
        /// Why the rows that were read are not all, so that no row can be sent or be absent; nil if they are all.
        var gap: Incompleteness?
        /// The status of the last page with rows.
        var status = 200
    }

    /// - Parameter status: of the answer.
    package mutating func readRow(_ answer: ResourceAnswer, status: Int, at now: Date) -> Step {
        switch answer {
        case .page: search.status = status
        case .gone:
            search.status = status
            let message = "The server answered that a part of the list of \(many) does not exist, although it had just named that part."
            return waitForRead(message, at: now)
        case .unauthorized(let failure): refusal = .unauthorized(failure)
        case .unchanged, .throttled, .failed: break
        }
        return follow(search.passes.answered(answer), at: now)
    }

    package mutating func found(_ found: FreshRow, at now: Date) -> Step {
        guard case .findRow(let rows) = next else { return next }
        switch found {
        case .unfit(var failure):
            failure.status = search.status
            return end(.permanent(failure), at: now)
        case _ where search.gap != nil: return incomplete(at: now)
        case .one(let row) where search.first == nil:
            self.row = row
            return go(.send)
        case .one: return hasChanged(at: now)
        case .unreadable(let failure): return unread(failure, at: now)
        case .absent: return absent(from: rows.map(\.id), at: now)
        }
    }

    /// Which of the lists the next page is of, from 0, and of which row of the one before it.
    package var place: (level: Int, parent: RosterID?) { (search.passes.level, search.passes.parent) }

    /// Before each send, also before one that is repeated.
    mutating func searchAnew() -> Step {
        (search, row) = (Search(passes: RosterPasses(levels: rows?.levels ?? 1)), nil)
        return go(.readRow(page: 1, unless: nil))
    }

    var isReading: Bool {
        switch next {
        case .readRow, .findRow: true
        case .lookUp, .send, .renew, .end: false
        }
    }

    /// A read without a usable answer.
    mutating func notRead(_ verdict: Verdict, at now: Date) -> Step {
        switch verdict {
        case .unreachable, .throttled, .unauthorized: return end(verdict, at: now)
        case .permanent(let failure) where failure.reason == .profile: return end(verdict, at: now)
        default: return unread(verdict.failure ?? Failure(.serverError, "There was no usable answer."), at: now)
        }
    }

    private mutating func follow(_ step: RosterPass.Step, at now: Date) -> Step {
        switch step {
        case .page(let page, let etag): return go(.readRow(page: page, unless: etag))
        case .renew: return .renew
        case .denied(var failure):
            failure.reason = .stillUnauthorized
            return unread(failure, at: now)
        case .store(let rows) where rows.isCrossing: return crossing(rows, at: now)
        case .store(let rows):
            if rows.incomplete == .changing { return hasChanged(at: now) }
            search.gap = rows.incomplete
            return go(.findRow(in: rows.listed))
        case .end(.throttled(let failure, let until)): return throttled(failure, until: until, at: now)
        case .end(.failed(let failure)): return unread(failure, at: now)
        case .end: return unread(Failure(.serverError, "There was no usable answer."), at: now)
        }
    }

    /// A single read without the row may be a fault of the server's.
    private mutating func absent(from ids: [RosterID], at now: Date) -> Step {
        guard let first = search.first else { return readAgain(after: ids, at: now) }
        guard first == ids else { return hasChanged(at: now) }
        if rows?.absentIsDone == true {
            return end(.accepted(Receipt(remoteID: nil, status: search.status, foundByLookup: true, at: now)), at: now)
        }
        return end(.permanent(Failure(.refused, "The entry was not sent: the list of \(many) no longer contains its row.")), at: now)
    }

    /// A row in the lists of two parents has moved, unless the next read shows the same: then no later read can tell which one is meant.
    private mutating func crossing(_ rows: RosterRows, at now: Date) -> Step {
        let ids = rows.listed.map(\.id)
        guard let first = search.first else { return readAgain(after: ids, at: now) }
        guard first == ids else { return hasChanged(at: now) }
        search.gap = .contradiction
        return go(.findRow(in: rows.listed))
    }

    private mutating func readAgain(after first: [RosterID], at now: Date) -> Step {
        search = Search(passes: RosterPasses(levels: rows?.levels ?? 1), first: first, status: search.status)
        return follow(search.passes.next, at: now)
    }

    private func hasChanged(at now: Date) -> Step {
        waitForRead("The list of \(many) changed while Homing read it.", at: now)
    }

    /// The server may complete the list without a person at this station.
    private func incomplete(at now: Date) -> Step {
        let why =
            switch search.gap {
            case .limit: "has more rows than Homing reads"
            case .contradiction: "contradicts itself: it has a row twice, or another number of rows than it states"
            case .rows: "has rows without a usable id"
            case .changing, nil: "changed while Homing read it"
            }
        return waitForRead("The list of \(many) \(why), so it does not show whether the entry’s row is there.", at: now)
    }

    private func waitForRead(_ message: String, at now: Date) -> Step {
        end(.unread(Failure(.serverError, status: search.status, message), until: nextRead(now)), at: now)
    }

    /// A server that allows no read to its end would be asked for ever, so a person decides after so many in a row.
    private static let mostCutReads = 10

    /// Only this entry waits: a list must not hold back captures.
    private mutating func throttled(_ failure: Failure, until: Date, at now: Date) -> Step {
        var failure = failure
        // A server that answers no page is busy, however long the list is.
        if search.first != nil || search.passes.requests > 1 { failure.reason = .tooLarge }
        guard failure.reason == .tooLarge, entry.looks + 1 >= Self.mostCutReads else {
            return unread(failure, until: max(until, nextRead(now)), at: now)
        }
        let message =
            "The list of \(many) is too long for the limit of the server: \(Self.mostCutReads) times in a row, it stopped Homing before the end of the list. Homing sends nothing before it has found the entry’s row in the whole list."
        return end(.permanent(Failure(.profile, status: failure.status, message)), at: now)
    }

    private mutating func unread(_ failure: Failure, until: Date? = nil, at now: Date) -> Step {
        let message = "The list of \(many) must be read before the entry is sent, and that failed. \(failure.message)"
        return end(.unread(Failure(failure.reason, status: failure.status, message), until: until ?? nextRead(now)), at: now)
    }

    private var many: String { rows?.many ?? "rows" }

    /// Half a minute at first, up to a quarter of an hour.
    private func nextRead(_ now: Date) -> Date { now.addingTimeInterval(min(900, 30 * pow(2, Double(min(entry.releases, 5))))) }
}
