import Backends
import ControlAPI
import Delivery
import Foundation
import Sessions
import SyncModel
import TestSupport
import Testing

@testable import Outbox
@testable import SyncDaemon

@Suite struct ReasonsTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)  // 05:46:40 UTC
    private static let later = now.addingTimeInterval(600)
    private static let earlier = now.addingTimeInterval(-600)

    private static func entry(
        _ number: Int, _ state: Entry.State, _ change: (inout Entry) -> Void = { _ in }
    ) -> Entry {
        var entry = Entry(sequence: Int64(number), mutation: Samples.mutation(number, at: now), state: state)
        change(&entry)
        return entry
    }

    private static func held(_ reason: HoldReason, _ error: String? = nil) -> Entry {
        entry(1, .held) {
            $0.holdReason = reason
            $0.lastError = error
        }
    }

    private static func reasons(_ change: (inout Reasons) -> Void = { _ in }) -> Reasons {
        var reasons = Reasons.sample(at: now)
        (reasons.obstacles.gate, reasons.obstacles.session) = (.open, session(.signedIn, account: "1", "ann@lab.test"))
        reasons.route.noun = "measurement"
        change(&reasons)
        return reasons
    }

    private static func session(_ state: SessionSnapshot.State, account: String?, _ label: String = "", reason: String? = nil)
        -> SessionSnapshot
    {
        var snapshot = SessionSnapshot(
            backend: "breathesafe", state: state, account: account.map { Account(id: AccountID($0), label: label) })
        snapshot.reason = reason
        return snapshot
    }

    private static func cooling(_ reason: Failure.Reason) -> Reasons {
        reasons { $0.obstacles.gate = .cooling(until: later, Failure(reason, "Its words.")) }
    }

    private static func behind(_ head: Entry, ahead: Int) -> Reasons {
        reasons {
            $0.blocker = head
            $0.ahead = ahead
        }
    }

    private static func paused(until: Date?) -> Reasons {
        reasons {
            $0.obstacles.pause = PauseReport(backend: "breathesafe", reason: "weekly backup", since: earlier, until: until, by: "bob")
        }
    }

    /// It may have taken effect, and its next try is later.
    private static func doubtful(_ reason: Failure.Reason, _ status: Int, since: Date = earlier) -> Entry {
        entry(1, .pending) {
            ($0.uncertain, $0.uncertainSince, $0.isAside, $0.dueAt) = (true, since, true, later)
            ($0.lastReason, $0.lastStatus) = (reason, status)
        }
    }

    /// The person was removed on the server after the send.
    private static func removed(_ change: (inout Reasons) -> Void = { _ in }) -> Reasons {
        reasons {
            $0.subjectReport = SubjectReport(resource: "managed_users", field: "user_id", id: "5", label: "Anna Example")
            $0.rowTitle = "person"
            change(&$0)
        }
    }

    /// The server answers its look-ups with 404.
    private static func unfindable(_ state: Entry.State, _ change: (inout Entry) -> Void = { _ in }) -> Entry {
        entry(1, state) {
            ($0.uncertain, $0.looks, $0.dueAt) = (true, Outbox.stuckLooks, later)
            ($0.lastReason, $0.lastStatus, $0.lastError) = (.serverError, 404, "The look-up failed.")
            change(&$0)
        }
    }

    private static let pending = entry(1, .pending)
    private static let id = Samples.id(1).description

    struct Case: Sendable, CustomTestStringConvertible {
        var reasons: Reasons
        var entry: Entry
        var sentence: String
        /// A part of the next step.
        var next: String
        init(_ reasons: Reasons, _ entry: Entry, _ sentence: String, _ next: String) {
            (self.reasons, self.entry, self.sentence, self.next) = (reasons, entry, sentence, next)
        }
        var testDescription: String { sentence }
    }

    private static let waiting: [Case] = [
        Case(reasons(), pending, "It is the next to be sent.", "Nothing to do. Homing sends it automatically."),
        Case(
            behind(entry(0, .pending), ahead: 1), pending,
            "1 entry is ahead of it; the first is \(Samples.id(0)).",
            "To check the first one, run: homing why \(Samples.id(0))"),
        Case(
            behind(entry(0, .inflight), ahead: 12), pending,
            "12 entries are ahead of it; the first is \(Samples.id(0)).", "Nothing to do."),
        Case(
            behind(entry(0, .pending), ahead: 1000), pending,
            "At least 1000 entries are ahead of it; the first is \(Samples.id(0)).", "Nothing to do."),
        Case(
            behind(entry(0, .dead), ahead: 3), pending,
            "It waits for entry \(Samples.id(0)), which is ahead of it and has failed.",
            "Retry or discard that one. To see why, run: homing why \(Samples.id(0))"),
        Case(
            behind(entry(0, .held), ahead: 3), pending,
            "It waits for entry \(Samples.id(0)), which is ahead of it and is on hold.",
            "Retry or discard that one. To see why, run: homing why \(Samples.id(0))"),
        Case(
            behind(entry(0, .held) { $0.holdReason = .discarding }, ahead: 0), pending,
            "It waits for entry \(Samples.id(0)), which is being discarded. It is put on hold when that is done.",
            "run: homing undo \(Samples.id(0))"),
        Case(
            behind(entry(0, .pending) { $0.mutation.lane = Lane("users/6") }, ahead: 0), pending,
            "It waits for entry \(Samples.id(0)), which must be sent first.", "run: homing why \(Samples.id(0))"),
        Case(
            reasons {
                ($0.blocker, $0.ahead, $0.mayDestroy) = (entry(0, .dead), 1, false)
            }, pending, "It waits for entry \(Samples.id(0)), which is ahead of it and has failed.",
            "Retry that one, or ask an administrator to discard it. To see why, run: homing why \(Samples.id(0))"),
        Case(
            reasons {
                $0.obstacles.routeGate = RouteGate(
                    since: earlier, until: later, failure: Failure(.refused, status: 404, "Its words"), entry: 2)
                $0.obstacles.refusal = Reasons.Refusal(id: Samples.id(2), sentence: "There is no user 77. Homing tries again at 05:56.")
            }, pending, "It waits, because breathesafe refused another measurement. There is no user 77. Homing tries again at 05:56.",
            "To see the next step for that entry, run: homing why \(Samples.id(2))"),
        Case(
            reasons {
                $0.obstacles.gate = .cooling(until: later, Failure(.offline, "No network."))
                $0.obstacles.routeGate = RouteGate(
                    since: earlier, until: later, failure: Failure(.refused, status: 404, "Its words"), entry: 2)
                $0.obstacles.refusal = Reasons.Refusal(id: Samples.id(2), sentence: "There is no user 77. Homing tries again at 05:56.")
            }, pending, "The backend cannot be reached: No network. Homing tries again at 05:56.",
            "Nothing to do. If this lasts, check the network."),
        Case(
            reasons {
                $0.obstacles.routeGate = RouteGate(since: earlier, until: later, failure: Failure(.serverError, "Its words"))
            }, pending,
            "breathesafe has accepted no measurement since 05:36. Its words. Homing tries again at 05:56.", "run: homing sync"),
        Case(
            reasons {
                $0.obstacles.routeGate = RouteGate(since: earlier, until: later, failure: Failure(.serverError, "Its words"))
                $0.later = 2
            }, pending,
            "breathesafe has accepted no measurement since 05:36. Its words. Homing tries again at 05:56. 2 later entries wait for it, because their order matters.",
            "run: homing sync\nTo let the later ones go without it, run: homing discard \(id)"),
        Case(
            behind(
                entry(0, .pending) {
                    $0.isAside = true
                    $0.mutation.onDead = .skipFailed
                }, ahead: 1), pending,
            "It waits for entry \(Samples.id(0)), which keeps failing and must be sent first.",
            "Nothing to do. To see the reason and the next step, run: homing why \(Samples.id(0))"),
        Case(
            reasons { $0.fields = ["user_id": "5"] },
            entry(1, .pending) {
                $0.uncertain = true
                $0.looks = 3
                $0.dueAt = later
                $0.lastError = "The look-up failed."
            },
            "This measurement (user id 5) may already have taken effect at breathesafe, but looking it up failed 3 times in a row. The look-up failed. Homing looks it up again at 05:56.",
            "homing retry \(id) --without-looking"),
        Case(
            removed { $0.route.looksUpRow = true }, unfindable(.pending),
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up as if the person no longer existed (404), so it cannot be seen whether the entry was delivered. Homing looks it up again at 05:56.",
            "If you know that it was not, run: homing resolve \(id) --not-delivered\nHoming then sends it again.\nIf breathesafe refuses it then, to send it for another person, run: homing fix \(id) --user USER\nTo look it up again, run: homing sync"
        ),
        Case(
            removed(), unfindable(.pending),
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up with status 404, so it cannot be seen whether the entry was delivered. Homing looks it up again at 05:56.",
            "If you know that it was not, run: homing resolve \(id) --not-delivered\nHoming then sends it again.\nTo look it up again, run: homing sync"
        ),
        Case(
            removed { ($0.route.looksUpRow, $0.route.changes) = (true, true) }, unfindable(.pending),
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up as if the person no longer existed (404), so it cannot be seen whether the entry was delivered. Homing looks it up again at 05:56.",
            "If breathesafe refuses it then, to make this change for another person, run: homing fix \(id) --user USER\nTo look it up again"
        ),
        Case(
            removed { ($0.route.looksUpRow, $0.route.deletes) = (true, true) }, unfindable(.pending),
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up as if the person no longer existed (404), so it cannot be seen whether the entry was delivered. Homing looks it up again at 05:56.",
            "--not-delivered\nHoming then sends it again.\nTo look it up again"),
        // The values of a new person cannot go to another.
        Case(
            removed { ($0.route.looksUpRow, $0.isFollower) = (true, true) }, unfindable(.pending),
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up as if the person no longer existed (404), so it cannot be seen whether the entry was delivered. Homing looks it up again at 05:56.",
            "--not-delivered\nHoming then sends it again.\nTo look it up again"),
        Case(
            reasons {
                $0.route.hasProfile = false
                $0.obstacles.session = nil
            }, pending, "Its backend breathesafe no longer has a profile.", "put breathesafe.yaml back"),
        Case(
            paused(until: later), pending, "Sending is paused by bob since 05:36 until 05:56: weekly backup.",
            "Nothing to do. To resume before that, run: homing resume"),
        Case(
            paused(until: nil), pending, "Sending is paused by bob since 05:36 until it is resumed: weekly backup.",
            "To resume, run: homing resume"),
        Case(
            reasons { $0.obstacles.session = session(.signedOut, account: nil) }, pending,
            "It waits for ann@lab.test to sign in. Homing sends it only as that account.", "run: homing login"),
        Case(
            reasons { $0.obstacles.session = session(.signedIn, account: "2", "bob@lab.test") }, pending,
            "It waits for ann@lab.test to sign in, but bob@lab.test is signed in.", "run: homing login"),
        Case(
            reasons { $0.obstacles.session = session(.signInRequired, account: "1", reason: "The password was changed.") }, pending,
            "It waits for ann@lab.test to sign in again, because the session has ended: The password was changed.", "run: homing login"),
        Case(
            reasons { $0.obstacles.session = session(.signingOut, account: "1") }, pending,
            "ann@lab.test is being signed out; it waits for ann@lab.test to sign in again.", "run: homing login"),
        Case(
            reasons { $0.obstacles.isDiskFull = true }, pending,
            "The disk is full. Homing sends nothing until it can store the result.", "Make room"),
        Case(
            cooling(.offline), pending, "The backend cannot be reached: Its words. Homing tries again at 05:56.",
            "Nothing to do. If this lasts, check the network."),
        Case(
            cooling(.tls), pending, "No secure connection to the backend can be made: Its words. Homing tries again at 05:56.",
            "Tell the administrator of the network"),
        Case(
            cooling(.clock), pending,
            "The backend’s certificate is not valid by this station’s clock: Its words. Homing tries again at 05:56.",
            "Otherwise set the clock; then run: homing sync"),
        Case(
            cooling(.intercepted), pending,
            "The answer does not come from the backend: Its words. Homing tries again at 05:56.",
            "sign in to the network; then run: homing sync"
        ),
        Case(
            cooling(.throttled), pending, "The backend asked Homing to wait: Its words. Homing tries again at 05:56.",
            "cannot be shortened"),
        Case(
            cooling(.signInRequired), pending, "The session cannot be renewed yet: Its words. Homing tries again at 05:56.",
            "Nothing to do. Homing renews the session automatically. To sign in now, run: homing login"),
        Case(
            cooling(.profile), pending, "The backend does not match its profile: Its words. Homing tries again at 05:56.",
            "Tell the administrator of this station"),
        Case(
            reasons {
                $0.obstacles.session = session(.signedOut, account: nil)
                $0.commands = NextCommands(backend: "keyed", means: .token)
            }, pending, "It waits for ann@lab.test to sign in. Homing sends it only as that account.",
            "run: homing login --backend keyed --token-stdin"),
        Case(
            reasons {
                $0.obstacles.session = session(.signedIn, account: "9", "bob@lab.test")
                $0.commands = NextCommands(backend: "keyed", means: .refreshToken)
            }, pending, "It waits for ann@lab.test to sign in, but bob@lab.test is signed in.",
            "To sign bob@lab.test out, run: homing logout --backend keyed\nThen to sign in as ann@lab.test, run: homing login --backend keyed --refresh-token-stdin"
        ),
        Case(
            cooling(.refused), pending, "The backend refused an entry: Its words. Homing tries again at 05:56.", "run: homing sync"),
        Case(
            cooling(.serverError), pending, "The backend is not working properly: Its words. Homing tries again at 05:56.",
            "run: homing sync"),
        Case(
            reasons(),
            entry(1, .pending) {
                $0.uncertain = true
                $0.dueAt = later
            }, "The answer was lost. Homing looks the entry up at 05:56 before it sends it again.", "Nothing to do. Homing does this"),
        Case(
            reasons { $0.route.canLookUp = false }, entry(1, .pending) { $0.uncertain = true },
            "The answer was lost. breathesafe offers no way to look the entry up, so Homing sends it again under the same id.",
            "Nothing to do. Homing does this"),
        Case(
            reasons {
                $0.obstacles.gate = .cooling(until: earlier, Failure(.serverError, status: 500, "Its words"))
                $0.obstacles.routeGate = RouteGate(
                    since: earlier, until: earlier, failure: Failure(.serverError, status: 500, "Its words"), entry: 1)
            }, doubtful(.serverError, 500),
            "breathesafe answered with status 500, so it is not known whether it has this measurement. Homing looks the entry up at 05:56 before it sends it again.",
            "Nothing to do. Homing does this automatically. To look now, run: homing sync"),
        Case(
            reasons { $0.obstacles.gate = .cooling(until: earlier, Failure(.offline, "No network.")) }, doubtful(.serverError, 500),
            "The backend cannot be reached: No network. Homing is trying again now.", "Nothing to do. If this lasts, check the network."),
        Case(
            reasons { $0.route.canLookUp = false }, doubtful(.intercepted, 200),
            "A login page or proxy may have answered in place of breathesafe, so it is not known whether it has this measurement. breathesafe offers no way to look the entry up, so Homing sends it again at 05:56, or once breathesafe accepts another entry like it, under the same id.",
            "Nothing to do. Homing does this automatically."),
        Case(
            reasons { $0.route.canLookUp = false }, doubtful(.throttled, 503),
            "breathesafe answered with status 503 and asked Homing to wait, so it is not known whether it has this measurement. breathesafe offers no way to look the entry up, so Homing sends it again at 05:56, or once breathesafe accepts another entry like it, under the same id.",
            "Nothing to do. Homing does this automatically."),
        Case(
            reasons(),
            entry(1, .pending) {
                $0.attempts = 2
                $0.dueAt = later
                $0.lastError = "Busy."
            }, "Attempt 2 of 3 failed. Homing tries again at 05:56. Last error: Busy.", "run: homing sync"),
        Case(
            reasons(), entry(1, .pending) { $0.dueAt = now.addingTimeInterval(86_400) }, "Homing tries again at 7 Dec 05:46.",
            "run: homing sync"),
        Case(
            reasons(),
            entry(1, .pending) {
                $0.retriedAt = now
                $0.retriedBy = "bob"
                $0.triedAt = earlier
            }, "bob retried it at 05:46. It is the next to be sent.", "Nothing to do. Homing sends it"),
        Case(
            reasons(),
            entry(1, .pending) {
                $0.retriedAt = earlier
                $0.retriedBy = "bob"
                $0.triedAt = now
            }, "It is the next to be sent.", "Nothing to do. Homing sends it automatically."),
    ]

    private static let settled: [Case] = [
        Case(
            reasons(), entry(1, .inflight) { $0.claimedAt = earlier }, "This measurement is being sent (since 05:36).",
            "Nothing to do. Ask again"),
        Case(
            reasons(),
            entry(1, .delivered) {
                $0.settledAt = earlier
                $0.remoteID = "811"
            }, "Delivered to breathesafe for ann@lab.test with the server id 811 at 05:36.", "run: homing receipt \(id)"),
        Case(
            reasons { $0.receipt = receipt(.delivered, altered: "/a/0") }, entry(1, .delivered) { $0.settledAt = earlier },
            "Delivered to breathesafe for ann@lab.test at 05:36. The server stored a different value at /a/0.",
            "run: homing receipt \(id)"),
        Case(
            reasons { ($0.receipt, $0.mayBeTwice) = (receipt(.delivered), true) }, entry(1, .delivered) { $0.settledAt = earlier },
            "Delivered to breathesafe for ann@lab.test at 05:36. The answer to an earlier attempt was lost, so breathesafe may have it twice.",
            "run: homing receipt \(id)"),
        Case(
            reasons { $0.receipt = receipt(.discarded, by: "bob") }, entry(1, .discarded) { $0.settledAt = now },
            "bob discarded it at 05:46. Its payload was deleted.", "run: homing receipt \(id)"),
        Case(
            reasons { ($0.receipt, $0.discardNote) = (receipt(.discarded, by: "bob"), "measured twice") },
            entry(1, .discarded) { ($0.settledAt, $0.lastStatus) = (now, 422) },
            "bob discarded it at 05:46. Its payload was deleted. Before that, breathesafe answered with status 422. Reason: “measured twice”.",
            "run: homing receipt \(id)"),
        Case(
            reasons { $0.receipt = receipt(.discarded, by: "bob") },
            entry(1, .discarded) { ($0.settledAt, $0.lastStatus) = (now, 422) },
            "bob discarded it at 05:46. Its payload was deleted. Before that, breathesafe answered with status 422.",
            "run: homing receipt \(id)"),
        Case(
            reasons {
                $0.receipt = receipt(.discarded, by: "bob")
                $0.receipt?.supersededBy = Samples.id(2)
            }, entry(1, .discarded) { $0.settledAt = now },
            "Entry \(Samples.id(2)) replaced it at 05:46. Its payload was deleted.", "run: homing show \(Samples.id(2))"),
        Case(
            reasons {
                $0.receipt = receipt(.delivered)
                $0.receipt?.resolvedBy = "bob"
            }, entry(1, .delivered) { $0.settledAt = now },
            "Delivered to breathesafe for ann@lab.test at 05:46, as bob stated.", "run: homing receipt \(id)"),
        Case(
            reasons {
                $0.fields = ["user_id": "5", "room": "4"]
                $0.subjectReport = SubjectReport(resource: "managed_users", field: "user_id", id: "5", label: "Anna Example")
            }, entry(1, .dead) { $0.lastStatus = 404 },
            "breathesafe refused this measurement of Anna Example (5) (room 4) for ann@lab.test (404).", "run: homing retry \(id)"),
        Case(
            reasons {
                $0.subjectReport = SubjectReport(resource: "managed_users", field: "user_id", id: "5")
                $0.rowTitle = "person"
            }, entry(1, .dead) { $0.lastStatus = 404 },
            "breathesafe refused this measurement of person 5 for ann@lab.test (404).", "run: homing retry \(id)"),
        Case(
            reasons {
                $0.subjectReport = SubjectReport(resource: "managed_users", field: "user_id", id: "5")
                $0.route.noun = nil
            }, entry(1, .dead) { $0.lastStatus = 404 },
            "breathesafe refused this measurement entry of user_id 5 for ann@lab.test (404).", "run: homing retry \(id)"),
        Case(
            reasons { $0.fields = ["user_id": "5"] },
            entry(1, .dead) {
                $0.lastError = "breathesafe answered: Not Found."
                $0.lastStatus = 404
            }, "breathesafe refused this measurement (user id 5) for ann@lab.test (404). breathesafe answered: Not Found.",
            "After fixing the cause, run: homing retry \(id)\nTo discard it, run: homing discard \(id)"),
        Case(
            reasons(),
            entry(1, .dead) {
                $0.lastError = "Oops."
                $0.attempts = 3
                $0.uncertain = true
            },
            "This measurement failed after 3 attempts. Oops. It may have taken effect anyway.", "run: homing retry \(id)"),
        Case(
            reasons { ($0.route.canLookUp, $0.retryMayDuplicate) = (false, true) },
            entry(1, .dead) {
                $0.lastError = "Oops."
                ($0.attempts, $0.doubts) = (3, 1)
            },
            "This measurement failed after 3 attempts. Oops. It may have taken effect anyway.",
            "Look for it at breathesafe. If it is there, run: homing resolve \(id) --delivered\nIf it is missing there, run: homing resolve \(id) --not-delivered\nTo discard it, run: homing discard \(id)"
        ),
        Case(
            reasons(), held(.forbidden, "No."), "breathesafe does not allow ann@lab.test to send this measurement. No.",
            "Once ann@lab.test has the permission, run: homing retry \(id)"),
        Case(
            reasons(),
            entry(1, .held) {
                $0.holdReason = .forbidden
                $0.lastReason = .stillUnauthorized
            }, "breathesafe refused this measurement as if ann@lab.test were signed out, although ann@lab.test is signed in.",
            "run: homing retry \(id)"),
        Case(
            reasons { $0.route.canLookUp = false }, held(.unknownOutcome),
            "This measurement was sent and may have taken effect, and breathesafe offers no way to look it up.",
            "Look for it at breathesafe. If it is there, run: homing resolve \(id) --delivered\nIf it is missing there, run: homing resolve \(id) --not-delivered"
        ),
        Case(
            reasons(), held(.unknownOutcome),
            "This measurement was sent and may have taken effect, and looking it up there did not settle it.",
            "To look it up again, and send it only if it is missing, run: homing retry \(id)"),
        Case(
            removed { $0.route.looksUpRow = true }, unfindable(.held) { $0.holdReason = .unknownOutcome },
            "This measurement of Anna Example (5) may already have taken effect at breathesafe. breathesafe answered the look-up as if the person no longer existed (404), so it cannot be seen whether the entry was delivered.",
            "run: homing fix \(id) --user USER\nTo look it up again, run: homing retry \(id)"),
        Case(reasons(), held(.crashes), "The daemon crashed three times while sending this measurement.", "Report the crash"),
        Case(
            reasons(), held(.unreadable), "The stored data of this entry cannot be read.",
            "Submit the original again, then run: homing discard \(id)"),
        Case(
            reasons(), held(.profile, "There is no route \"measurement\"."),
            "This measurement does not fit the changed profile of breathesafe. There is no route \"measurement\". Homing sends it once the profile fits again.",
            "For the administrator: put the route \"measurement\" back into breathesafe.yaml as it was, then run: systemctl reload homingd"),
        Case(
            reasons(), held(.dependency), "This measurement depends on an entry that was not delivered.", "run: homing retry \(id)"),
        Case(
            reasons(),
            entry(1, .held) {
                $0.holdReason = .discarding
                ($0.discardBy, $0.discardAt) = ("bob", later)
            }, "bob discarded it. Its payload will be destroyed at 05:56.", "To undo this, run: homing undo \(id)"),
        Case(
            reasons { $0.discardNote = "the wrong\nroom" },
            entry(1, .held) {
                $0.holdReason = .discarding
                ($0.discardBy, $0.discardAt) = ("bob", later)
            }, "bob discarded it. Its payload will be destroyed at 05:56. Reason: “the wrong\\u{A}room”.",
            "To undo this, run: homing undo \(id)"),
        Case(reasons(), held(.operator), "A person put this measurement on hold.", "To send it, run: homing retry \(id)"),
        // Operators may not discard.
        Case(
            reasons { $0.mayDestroy = false }, held(.operator), "A person put this measurement on hold.",
            "\nTo discard it, ask an administrator to run: homing discard \(id)"),
        Case(
            reasons { $0.mayDestroy = false }, held(.unreadable), "The stored data of this entry cannot be read.",
            "Submit the original again, then ask an administrator to run: homing discard \(id)"),
        Case(
            reasons { $0.mayDestroy = false },
            entry(1, .held) {
                $0.holdReason = .discarding
                ($0.discardBy, $0.discardAt) = ("bob", later)
            }, "bob discarded it. Its payload will be destroyed at 05:56.",
            "To undo this, ask an administrator to run: homing undo \(id)"),
    ]

    private static func receipt(_ outcome: ReceiptRecord.Outcome, by who: String? = nil, altered: String? = nil) -> ReceiptRecord {
        ReceiptRecord(
            sequence: 1, id: Samples.id(1), destination: Samples.destination, lane: Lane("users/5"), route: "measurement",
            outcome: outcome, capturedAt: now, acceptedAt: now, settledAt: now, discardedBy: who, foundByLookup: false, altered: altered,
            attempts: 0,
            size: 1)
    }

    @Test(arguments: waiting + settled)
    func explainsEveryStateWithNextStep(expected: Case) {
        let (sentence, next) = expected.reasons.explain(expected.entry)
        #expect(sentence == expected.sentence)
        #expect(next.text.contains(expected.next), "\(next)")
        let isSettled = [.delivered, .discarded].contains(expected.entry.state) || expected.entry.holdReason == .discarding
        #expect(next.needsPerson == !(isSettled || next.text.hasPrefix("Nothing to do.")))
        // Commands stand at the end of a line, so that they can be copied.
        #expect(
            next.text.split(separator: "\n")
                .allSatisfy { $0.hasSuffix(".") || $0.contains("run: homing ") || $0.contains("run: systemctl ") })
    }

    /// As `session-failing` in the status.
    @Test(arguments: [(nil, false), (0, false), (3599, false), (3600, true)] as [(TimeInterval?, Bool)])
    func sessionThatCannotBeRenewedNeedsAPersonAfterAnHour(failingFor seconds: TimeInterval?, needsPerson: Bool) {
        var reasons = Self.cooling(.signInRequired)
        reasons.obstacles.session?.failing = seconds.map {
            SessionSnapshot.Failing(since: Self.now.addingTimeInterval(-$0), failure: Failure(.signInRequired, "Its words."))
        }
        let next = reasons.explain(Self.pending).next
        #expect(next.needsPerson == needsPerson && next.text.contains("run: homing login"), "\(next.text)")
        #expect(next.text.hasPrefix("Nothing to do.") != needsPerson, "\(next.text)")
    }

    @Test(arguments: waiting + settled)
    func everySentenceHasACause(expected: Case) {
        let found = expected.reasons.finding(expected.entry)
        #expect(found.sentence == expected.sentence && found.cause.word != .unknown)
        // Homing's own words are in English, and so no value.
        #expect(found.cause.facts.words?.contains("Homing") != true)
    }

    @Test func causesStateTheValuesOfTheSentence() {
        let behind = Reasons.Cause.of(.behind) {
            ($0.count, $0.least, $0.entry) = (Outbox.countedInLane, true, "\(Samples.id(0))")
        }
        #expect(Self.behind(Self.entry(0, .pending), ahead: Outbox.countedInLane).finding(Self.pending).cause == behind)
        let cooling = Reasons.Cause.of(.cooling) { ($0.reason, $0.at, $0.account) = ("offline", Self.later, "ann@lab.test") }
        #expect(Self.cooling(.offline).finding(Self.pending).cause == cooling)
        let paused = Reasons.Cause.of(.paused) {
            ($0.person, $0.since, $0.until, $0.words) = ("bob", Self.earlier, Self.later, "weekly backup")
        }
        #expect(Self.paused(until: Self.later).finding(Self.pending).cause == paused)
        var reasons = Self.reasons()
        (reasons.later, reasons.dependents) = (2, Outbox.countedInLane)
        let next = Reasons.Cause.of(.next) { ($0.later, $0.dependents, $0.least) = (2, Outbox.countedInLane, true) }
        #expect(reasons.finding(Self.pending).cause == next)
    }

    @Test(
        arguments: [
            ("breathesafe answered: No.", "No."), ("breathesafe answered with status 503.", nil), ("The backend is away.", nil),
        ] as [(String, String?)])
    func quotesTheServersOwnWordsAlone(error: String, words: String?) {
        let found = Self.reasons().finding(Self.held(.forbidden, error))
        let expected = Reasons.Cause.of(.forbidden) { ($0.account, $0.words) = ("ann@lab.test", words) }
        #expect(found.cause == expected)
    }

    @Test func failedEntryThatMayHaveTakenEffectSaysSo() {
        for isUncertain in [true, false] {
            let entry = Self.entry(1, .dead) { ($0.attempts, $0.uncertain) = (3, isUncertain) }
            let cause = Self.reasons().finding(entry).cause
            #expect(cause.word == .attemptsFailed && cause.facts.count == 3)
            #expect((cause.facts.reason == ControlAPI.Explanation.doubtful) == isUncertain)
        }
    }

    @Test func tableCoversEveryStateAndHoldReason() {
        let cases = Self.waiting + Self.settled
        #expect(Set(cases.compactMap(\.entry.holdReason)) == Set(HoldReason.allCases))
        #expect(Set(cases.map(\.entry.state)) == Set(Entry.State.allCases))
    }

    /// A look-up soon shows what became of it.
    @Test(arguments: [(600.0, true, false), (6 * 3600.0, true, true), (600.0, false, true)])
    func offersNoDiscardWhileLookUpsMaySettleIt(age: TimeInterval, canLookUp: Bool, isOffered: Bool) {
        let reasons = Self.reasons { ($0.later, $0.route.canLookUp) = (1, canLookUp) }
        let (sentence, next) = reasons.explain(Self.doubtful(.serverError, 500, since: Self.now.addingTimeInterval(-age)))
        #expect(sentence.hasSuffix(" 1 later entry waits for it, because their order matters."))
        #expect(next.text.contains("homing discard") == isOffered, "\(next)")
    }

    @Test func offersDiscardWhileLookUpsFail() {
        let reasons = Self.reasons { ($0.later, $0.route.canLookUp) = (1, true) }
        var entry = Self.doubtful(.serverError, 500, since: Self.now.addingTimeInterval(-600))
        entry.looks = Outbox.stuckLooks
        #expect(reasons.explain(entry).next.text.contains("To let the later ones go without it, run: homing discard"))
    }

    @Test(arguments: [(1, false), (Outbox.stuckLooks, true)])
    func waitingEntryIsResolvedOnceLookingUpKeepsFailing(looks: Int, isResolvable: Bool) {
        let entry = Self.unfindable(.pending) { $0.looks = looks }
        #expect(Self.removed().changes(of: entry).contains(.resolve) == isResolvable)
    }

    @Test func pauseIsReportedBeforeOtherReasons() {
        var reasons = Self.paused(until: nil)
        reasons.obstacles.session = nil
        reasons.obstacles.gate = .cooling(until: Self.later, Samples.failure)
        #expect(reasons.explain(Self.pending).sentence.hasPrefix("Sending is paused by "))
    }

    /// The refusal was the only reason of the route's pause, and the server has not seen the correction.
    @Test func entryOfAnOvercomeRefusalWaitsToBeSent() {
        var reasons = Self.reasons { $0.obstacles.nextTurn = Self.later }
        let found = reasons.finding(Self.pending)
        #expect(found.sentence == "It is the next to be sent, at 05:56." && found.cause.facts.at == Self.later)
        #expect(found.next.text == "Nothing to do. Homing sends it automatically. To send it now, run: homing sync")
        reasons.obstacles.nextTurn = Self.earlier
        #expect(reasons.explain(Self.pending).sentence == "It is the next to be sent.")
    }

    @Test func retriedEntryMayBeRefusedAgain() {
        func entry(triedAt: Date) -> Entry {
            Self.entry(1, .pending) {
                ($0.retriedAt, $0.retriedBy, $0.triedAt) = (Self.now, "bob", triedAt)
                ($0.lastStatus, $0.lastReason) = (404, .refused)
            }
        }
        // Its own refusal may still close the gate, but no longer counts.
        let meaning = Reasons.Meaning(words: "The server has no user 28.", fix: nil, rowTitle: nil)
        let reasons = Self.reasons { ($0.meaning, $0.obstacles.nextTurn) = (meaning, Self.later) }
        let found = reasons.finding(entry(triedAt: Self.earlier))
        let sentence =
            "bob retried it at 05:46. It is the next to be sent, at 05:56. breathesafe may refuse it again unless the cause is fixed."
        #expect(found.sentence == sentence && !found.next.needsPerson)
        #expect(found.cause.word == .retried && found.cause.facts.reason == Failure.Reason.refused.rawValue)
        // The server has refused it again.
        #expect(!entry(triedAt: Self.later).mayBeRefusedAgain)
    }

    @Test(
        arguments: [
            (Entry.State.pending, nil, false), (.inflight, nil, false), (.discarded, nil, true), (.held, .discarding, true),
            (.held, .forbidden, false), (.dead, nil, false), (.delivered, nil, false),
        ] as [(Entry.State, HoldReason?, Bool)])
    func refusalIsOvercomeByAPersonOnly(state: Entry.State, reason: HoldReason?, isOvercome: Bool) {
        var entry = Self.entry(1, state) { ($0.holdReason, $0.triedAt) = (reason, Self.earlier) }
        #expect(entry.isOvercome == isOvercome)
        entry.retriedAt = Self.now
        #expect(entry.isOvercome == (isOvercome || [.pending, .inflight].contains(state)))
    }

    /// The end of the pause alone would send nothing.
    @Test(arguments: [nil, later] as [Date?]) func pauseAndMissingSignInAreBothReported(until: Date?) {
        var reasons = Self.paused(until: until)
        reasons.obstacles.session = Self.session(.signedOut, account: nil)
        let found = reasons.finding(Self.pending)
        let wait = " It waits for ann@lab.test to sign in. Homing sends it only as that account."
        #expect(found.sentence.hasPrefix("Sending is paused by bob ") && found.sentence.hasSuffix(wait), "\(found.sentence)")
        let resume = "To resume\(until == nil ? "" : " before that"), run: homing resume"
        #expect(found.next.text == "\(resume)\nTo sign in as ann@lab.test, run: homing login" && found.next.needsPerson)
        #expect(found.cause.word == .paused && found.cause.facts.account == "ann@lab.test")
        // Signed in, only the pause is in the way.
        #expect(Self.paused(until: until).finding(Self.pending).cause.facts.account == nil)
    }

    /// After the end of the pause, the server would refuse it again.
    @Test(arguments: [nil, later] as [Date?]) func refusalIsReportedDuringAPause(until: Date?) {
        var entry = Self.entry(1, .pending) { ($0.lastReason, $0.lastStatus, $0.triedAt) = (.refused, 404, Self.earlier) }
        var reasons = Self.paused(until: until)
        reasons.meaning = Reasons.Meaning(words: "BreatheSafe has no user 5.", fix: .field("user_id"), rowTitle: "person")
        let found = reasons.finding(entry)
        #expect(found.sentence.hasPrefix("Sending is paused by bob since 05:36 until "), "\(found.sentence)")
        let refusal = " breathesafe refused this measurement (404). BreatheSafe has no user 5."
        #expect(found.sentence.hasSuffix(": weekly backup.\(refusal)"), "\(found.sentence)")
        let resume = "To resume\(until == nil ? "" : " before that"), run: homing resume"
        let fix = "To send it for another person, run: homing fix \(Self.id) --user USER"
        #expect(found.next.needsPerson && found.next.text == "\(resume)\n\(fix)", "\(found.next.text)")
        #expect(found.cause.word == .paused && found.cause.facts.reason == "refused" && found.cause.facts.status == 404)
        // A person has retried it since.
        entry.retriedAt = Self.now
        let retried = reasons.finding(entry)
        #expect(retried.sentence.hasSuffix(": weekly backup.") && retried.cause.facts.reason == nil)
    }

    /// A backup that was restored, or a copy that a person put in the place of the store: the entry does not tell which.
    @Test func restoredEntryNamesTheTimeOfTheCopy() {
        let held = Self.entry(1, .held) {
            ($0.holdReason, $0.lastReason, $0.lastError) = (.unknownOutcome, .restored, Outbox.restoredWords)
            ($0.uncertain, $0.uncertainSince) = (true, Self.earlier)
        }
        let found = Self.reasons { ($0.route.canLookUp, $0.retryMayDuplicate) = (false, true) }.finding(held)
        let expected =
            "The store was restored from an older copy of 05:36. breathesafe may have this measurement already, and offers no way to look it up."
        #expect(found.sentence == expected)
        #expect(found.cause.word == .sinceBackup && found.cause.facts.at == Self.earlier)
        #expect(found.next.needsPerson && found.next.text.contains("homing resolve \(held.id) --not-delivered"), "\(found.next.text)")
        let waiting = Self.doubtful(.restored, 0)
        let sentence = Self.reasons().explain(waiting).sentence
        let doubt = "The store was restored from an older copy of 05:36, so it is not known whether breathesafe has this measurement."
        #expect(sentence.hasPrefix(doubt), "\(sentence)")
    }
}
