struct FailPoint: Sendable {
    let name: String
    /// For RECORDER_KILL (CRecorder.h), with `#` for a count up to `counts`. Nil for a random moment.
    let place: String?
    var counts = 1
    var prelude = Prelude.none

    enum Prelude: Sendable {
        case none
        /// The bearer backend's tokens expire.
        case endedTokens
        case firstStart
        /// Signs out of the bearer backend after all submissions.
        case signingOut
        /// The next start salvages the store.
        case damagedStore
    }

    private static let wal = "outbox.sqlite-wal"
    private static let post = "send:before:POST /users/:1"
    private static let answer = "receive:after:facial_measurement:1"
    private static let refresh = "send:after:POST /api/v1/auth/refresh:1"
    private static let signOut = "DELETE /api/v1/auth/sign_out"
    private static let signOutAsked = "request:after:DELETE /v1/sessions:1"
    private static let damaged = "damaged/*"

    static let all = [
        FailPoint(name: "at any moment", place: nil),
        FailPoint(name: "before a submission is committed", place: "sync:before:\(wal):#", counts: 6),
        FailPoint(name: "after a commit, before it is reported", place: "sync:after:\(wal):#", counts: 6),
        FailPoint(name: "before the claim is committed", place: "answer:before:HTTP/1.1 201:1;sync:before:\(wal):1"),
        FailPoint(name: "before sending", place: post),
        FailPoint(name: "after sending", place: "send:after:POST /users/:1"),
        FailPoint(name: "after the answer", place: "\(post);\(answer)"),
        FailPoint(name: "before settling is committed", place: "\(post);\(answer);sync:before:\(wal):1"),
        FailPoint(name: "after settling", place: "\(post);\(answer);sync:after:\(wal):1"),
        FailPoint(name: "in a checkpoint", place: "write:before:outbox.sqlite:#", counts: 8),
        FailPoint(name: "after a checkpoint, before the log is emptied", place: "truncate:before:\(wal):1"),
        FailPoint(name: "after the log is emptied", place: "truncate:after:\(wal):1"),
        FailPoint(name: "before a refresh is sent", place: "send:before:POST /api/v1/auth/refresh:1", prelude: .endedTokens),
        FailPoint(name: "after a refresh is sent", place: refresh, prelude: .endedTokens),
        FailPoint(name: "before renewed tokens are committed", place: "\(refresh);write:before:\(wal):#", counts: 6, prelude: .endedTokens),
        FailPoint(name: "after renewed tokens are committed", place: "\(refresh);sync:after:\(wal):#", counts: 2, prelude: .endedTokens),
        FailPoint(name: "before a dropped file is taken", place: "rename:before:spool/taken/*:1"),
        FailPoint(name: "after a dropped file is taken", place: "rename:after:spool/taken/*:1"),
        FailPoint(name: "before the move of a taken file is durable", place: "sync:before:spool/taken/:1"),
        FailPoint(name: "before a taken file is stored", place: "sync:after:spool/taken/:1;sync:before:\(wal):1"),
        FailPoint(name: "before a stored file is removed", place: "unlink:before:spool/taken/*:1"),
        FailPoint(name: "after a stored file is removed", place: "unlink:after:spool/taken/*:1"),
        FailPoint(name: "before a sign-out is recorded", place: "\(signOutAsked);write:before:\(wal):1", prelude: .signingOut),
        FailPoint(
            name: "after a sign-out is recorded", place: "\(signOutAsked);write:after:\(wal):2;sync:after:\(wal):1", prelude: .signingOut),
        FailPoint(name: "before a sign-out is sent to the server", place: "send:before:\(signOut):1", prelude: .signingOut),
        FailPoint(name: "after a sign-out is sent to the server", place: "send:after:\(signOut):1", prelude: .signingOut),
        FailPoint(
            name: "before an ended session is cleared", place: "send:after:\(signOut):1;write:before:\(wal):1",
            prelude: .signingOut),
        FailPoint(
            name: "after an ended session is cleared", place: "send:after:\(signOut):1;sync:after:\(wal):1",
            prelude: .signingOut),
        FailPoint(
            name: "while a damaged store is recovered", place: "write:before:\(damaged)/unfinished.sqlite:#", counts: 40,
            prelude: .damagedStore),
        FailPoint(
            name: "before the recovered store is on the disk", place: "sync:before:\(damaged)/unfinished.sqlite:1", prelude: .damagedStore),
        FailPoint(
            name: "before the recovery report is written", place: "rename:before:\(damaged)/report.json:1", prelude: .damagedStore),
        FailPoint(
            name: "before the recovered store is valid", place: "rename:before:\(damaged)/salvaged.sqlite:1", prelude: .damagedStore),
        FailPoint(name: "after the recovered store is valid", place: "rename:after:\(damaged)/salvaged.sqlite:1", prelude: .damagedStore),
        FailPoint(
            name: "while the damaged files are moved", place: "rename:after:\(damaged)/outbox.sqlite*:#", counts: 3,
            prelude: .damagedStore),
        FailPoint(
            name: "after the damage marker is removed", place: "unlink:after:outbox.sqlite.damaged:1", prelude: .damagedStore),
        FailPoint(
            name: "before the recovered store is in place", place: "rename:before:outbox.sqlite:1", prelude: .damagedStore),
        FailPoint(
            name: "after the recovered store is in place", place: "rename:after:outbox.sqlite:1", prelude: .damagedStore),
        FailPoint(name: "before the key has its name", place: "link:before:homing.key:1", prelude: .firstStart),
        FailPoint(name: "after the key has its name", place: "link:after:homing.key:1", prelude: .firstStart),
        FailPoint(name: "while the keyring is written", place: "rename:before:homing.keyring:1", prelude: .firstStart),
        FailPoint(name: "while the tables are created", place: "write:before:\(wal):#", counts: 40, prelude: .firstStart),
    ]

    /// Only for the negative control, since no client has a response yet.
    static let beforeWriting = FailPoint(name: "before a submission is written", place: "write:before:\(wal):#", counts: 24)

    static var firstStarts: [FailPoint] { all.filter { $0.prelude == .firstStart } }
    static var later: [FailPoint] { all.filter { $0.prelude != .firstStart } }

    func drawn(using generator: inout some RandomNumberGenerator) -> String? {
        place?.replacing("#", with: "\(Int.random(in: 1...counts, using: &generator))")
    }
}
