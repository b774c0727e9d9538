import SyncModel

enum Ending: String, CaseIterable, Sendable {
    /// SIGTERM, once all is settled.
    case stop
    /// SIGKILL, once all is settled.
    case kill
    /// SIGKILL, once the call has failed.
    case killOnceMet = "kill-once-met"
    /// SIGKILL, once the first submission is acknowledged.
    case killOnceAcknowledged = "kill-once-acknowledged"

    /// True if it may prevent a call that a clean stop would make.
    var mayComeFirst: Bool { self == .kill || self == .killOnceAcknowledged }

    /// A clean stop for half of all rounds. Depends only on the call and the seed.
    static func drawn(for injection: Injection, seed: UInt64) -> Ending {
        let place = "\(injection.call) \(injection.error) \(injection.number) \(injection.count)"
        // FNV-1a, since Hasher's seed differs in each process.
        let hash = place.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        var generator = SplitMix64(seed: seed ^ hash)
        return Bool.random(using: &generator)
            ? .stop : [.kill, .killOnceMet, .killOnceAcknowledged].randomElement(using: &generator) ?? .stop
    }
}
