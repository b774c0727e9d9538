import Delivery

/// How the life ends in which a call goes wrong.
enum Ending: String, CaseIterable, Sendable {
    /// By SIGTERM, once all is settled.
    case stop
    /// By SIGKILL, once all is settled.
    case kill
    /// By SIGKILL, as soon as the call has gone wrong.
    case killOnceMet = "kill-once-met"
    /// By SIGKILL, as soon as the first submission was acknowledged.
    case killOnceAcknowledged = "kill-once-acknowledged"

    /// Whether it may come before a call that an orderly end would come to.
    var mayComeFirst: Bool { self == .kill || self == .killOnceAcknowledged }

    /// Of half of all rounds an orderly one: the same for the same call and seed, whatever was tried before.
    static func drawn(for injection: Injection, seed: UInt64) -> Ending {
        let place = "\(injection.call) \(injection.error) \(injection.number) \(injection.count)"
        // FNV-1a: a Hasher's seed is another one in each process.
        let hash = place.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        var generator = SplitMix64(seed: seed ^ hash)
        return Bool.random(using: &generator)
            ? .stop : [.kill, .killOnceMet, .killOnceAcknowledged].randomElement(using: &generator) ?? .stop
    }
}
