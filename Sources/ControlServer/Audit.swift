import ControlAPI
import Logging

/// Logs calls that change something. Never logs a secret or a payload.
struct Audit: Sendable {
    private let log: Logger
    private let throttle = AuditThrottle()

    init(log: Logger) { self.log = log }

    /// Read-only calls are not logged, except those for administrators: they reveal payloads. A submission that makes an entry is not
    /// logged either, because its event has the user.
    func done<Input, Output>(_ endpoint: Endpoint<Input, Output>, on target: String?, by peer: Peer, _ status: Int) {
        let isNewEntry = endpoint.name == Endpoints.submit.name && status == 201
        guard Self.isLogged(endpoint), !isNewEntry else { return }
        log.notice("Call completed", metadata: Self.facts(endpoint.name, target, peer, outcome: "\(status)"))
    }

    func failed<Input, Output>(_ endpoint: Endpoint<Input, Output>, on target: String?, by peer: Peer, _ problem: Problem) {
        let outcome = "\(problem.status) \(problem.code.rawValue)"
        guard Self.isLogged(endpoint), let facts = throttled(Self.facts(endpoint.name, target, peer, outcome: outcome), of: peer)
        else { return }
        log.notice("Call failed", metadata: facts)
    }

    /// True if the refusal was logged.
    func denied<Input, Output>(_ endpoint: Endpoint<Input, Output>, by peer: Peer) -> Bool {
        guard let facts = throttled(Self.facts(endpoint.name, nil, peer, outcome: "403 not-permitted"), of: peer) else { return false }
        log.warning("Call denied", metadata: facts)
        return true
    }

    private static func isLogged<Input, Output>(_ endpoint: Endpoint<Input, Output>) -> Bool {
        endpoint.method != .get || endpoint.access == .administer
    }

    func crowded(by peer: Peer) {
        guard let facts = throttled(["uid": "\(peer.uid)", "pid": "\(peer.pid)"], of: peer) else { return }
        log.warning("Refused a connection over the limit", metadata: facts)
    }

    /// The facts with the number of suppressed lines; nil to suppress this one too.
    private func throttled(_ facts: Logger.Metadata, of peer: Peer) -> Logger.Metadata? {
        guard let suppressed = throttle.allow(peer.uid, at: .now) else { return nil }
        var facts = facts
        if suppressed > 0 { facts["suppressed"] = "\(suppressed)" }
        return facts
    }

    private static func facts(_ call: String, _ target: String?, _ peer: Peer, outcome: String) -> Logger.Metadata {
        var facts: Logger.Metadata = ["call": "\(call)", "uid": "\(peer.uid)", "pid": "\(peer.pid)", "outcome": "\(outcome)"]
        // A caller could forge a log line with a line break.
        if let target { facts["target"] = isPlain(target) ? "\(target)" : "(no id or name)" }
        return facts
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.#".utf8)

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.allSatisfy(Self.plain.contains)
    }
}
