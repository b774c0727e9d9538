import SyncModel

/// What happens while a backup is made.
enum Interruption: String, CaseIterable, Sendable {
    case none = "backups under load"
    case clientDiesAtAMoment = "the client killed at any moment of a backup"
    case clientDiesAtACall = "the client killed at a file operation of a backup"
    case targetIsFull = "the disk of the backup full"
    case daemonDiesAtAMoment = "the daemon killed at any moment of a backup"
    case daemonDiesAtACall = "the daemon killed at an operation of a backup"
    case stateIsFull = "no room for the copy of the store"

    /// The file of the daemon's copy.
    private static let draft = "outbox.sqlite.backup"

    /// For the daemon, with `#` for a count (CRecorder.h).
    private static let daemonPlaces: [(steps: String, counts: Int)] = [
        ("create:before:\(draft):1", 1), ("create:after:\(draft):1", 1), ("write:before:\(draft):#", 40), ("write:after:\(draft):#", 40),
        ("create:after:\(draft):1;unlink:before:\(draft):1", 1), ("create:after:\(draft):1;unlink:after:\(draft):1", 1),
        ("answer:before:SQLite format 3:1", 1), ("answer:after:SQLite format 3:1", 1),
    ]

    /// For the client, whose folder has nothing but backups.
    private static let clientPlaces: [(steps: String, counts: Int)] = [
        ("create:before:*:1", 1), ("create:after:*:1", 1), ("write:before:*:#", 6), ("write:after:*:#", 6), ("sync:before:*:1", 1),
        ("sync:after:*:1", 1), ("rename:before:*:1", 1), ("rename:after:*:1", 1),
    ]

    /// Where the daemon is killed; nil for nowhere.
    func daemonPlace(using dice: inout SplitMix64) -> String? {
        self == .daemonDiesAtACall ? Self.drawn(Self.daemonPlaces, using: &dice) : nil
    }

    /// Where the client is killed; nil for nowhere.
    func clientPlace(using dice: inout SplitMix64) -> String? {
        self == .clientDiesAtACall ? Self.drawn(Self.clientPlaces, using: &dice) : nil
    }

    /// The calls of the daemon that fail.
    func daemonFailure(using dice: inout SplitMix64) -> Injection? {
        guard self == .stateIsFull else { return nil }
        return Injection(
            call: "pwrite64", error: "ENOSPC", number: Int.random(in: 1...12, using: &dice), count: 99_999, pattern: "\(Self.draft)*")
    }

    /// The calls of the client that fail.
    func clientFailure(using dice: inout SplitMix64) -> Injection? {
        guard self == .targetIsFull else { return nil }
        let call = Int.random(in: 0..<4, using: &dice) == 0 ? "fsync" : "write"
        return Injection(call: call, error: "ENOSPC", number: call == "fsync" ? 1 : Int.random(in: 1...4, using: &dice), count: 99_999)
    }

    private static func drawn(_ places: [(steps: String, counts: Int)], using dice: inout SplitMix64) -> String {
        let place = places[Int.random(in: 0..<places.count, using: &dice)]
        return place.steps.replacing("#", with: "\(Int.random(in: 1...place.counts, using: &dice))")
    }
}
