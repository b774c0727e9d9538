import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel

/// Judges the facts about the station. Pure.
struct Diagnosis {
    let facts: StationFacts

    var findings: [Finding] {
        let role = Self.role(of: facts.user, .administer, through: facts.group)
        return [role, configuration, proxy] + facts.trials.flatMap(about) + [space] + files + [key]
    }

    /// - Parameter group: the one that gives the role; nil without one.
    static func role(of user: String, _ access: Access, through group: String?) -> Finding {
        let membership = group.map { ", as a member of \($0)" } ?? ""
        if access == .administer { return Finding(.role, .ok, "\(user) may administer this station\(membership).") }
        let role = access == .operate ? "operate" : "only observe"
        return Finding(
            .role, .note,
            "\(user) may \(role) this station\(membership). Only administrators can check the network, the files and the key.",
            remedy: "For all checks, run: sudo homing doctor")
    }

    private var configuration: Finding {
        if facts.isConfigurationGood, let file = facts.missingConfiguration { return missing(file) }
        return facts.isConfigurationGood
            ? Finding(.configuration, .ok, "The configuration and the profiles have no mistakes.")
            : Finding(
                .configuration, .problem, "The configuration or a profile has mistakes: the next start of homingd would fail.",
                remedy: "To see all mistakes, run: sudo homingd check")
    }

    private func missing(_ file: String) -> Finding {
        guard facts.needsConfiguration else {
            return Finding(.configuration, .ok, "There is no \(file), so the defaults apply. The profiles have no mistakes.")
        }
        return Finding(
            .configuration, .problem, "The configuration \(file) is missing: the next start of homingd would fail.",
            remedy: "Put it back, or run: sudo apt install --reinstall -o Dpkg::Options::=--force-confmiss homing")
    }

    private var proxy: Finding {
        guard let proxy = facts.proxies.proxy else { return Finding(.proxy, .ok, "No proxy is set: connections are direct.") }
        let exceptions = facts.proxies.exceptions
        let except = exceptions.isEmpty ? "" : ", except to \(exceptions.joined(separator: ", "))"
        return Finding(.proxy, .ok, "Connections with HTTPS go through the proxy \(proxy)\(except).")
    }

    // MARK: Backends

    private func about(_ trial: BackendTrial) -> [Finding] {
        // Without an address there is no connection.
        let connection = trial.name == .known || trial.refusal == nil ? connection(trial) : nil
        var findings = [trial.isCut ? nil : name(trial), connection, answer(trial), clock(trial)].compactMap(\.self)
        for index in findings.indices { findings[index].backend = trial.backend }
        return findings
    }

    private func name(_ trial: BackendTrial) -> Finding {
        let host = trial.proxy.map { "the proxy \($0)" } ?? trial.host
        switch trial.name {
        case .known: return Finding(.name, .ok, "DNS knows \(host).")
        case .unknown:
            let place = trial.proxy == nil ? "base_url in \(trial.backend).yaml" : Self.proxySetting
            return Finding(
                .name, .problem, "DNS does not know \(host).", remedy: "Check \(place), and the DNS server of this station.")
        case .unanswered:
            return Finding(
                .name, .problem, "No DNS server answers, so the address of \(host) is unknown.",
                remedy: "Check the network connection and the DNS server of this station.")
        }
    }

    private func connection(_ trial: BackendTrial) -> Finding {
        let through = trial.proxy.map { " through the proxy \($0)" } ?? ""
        guard let refusal = trial.refusal else { return Finding(.connection, .ok, "Homing can connect to \(trial.host)\(through).") }
        return Finding(.connection, .problem, refusal.message.asSentence, remedy: Self.remedy(for: refusal, at: trial))
    }

    private func answer(_ trial: BackendTrial) -> Finding? {
        guard let health = trial.health else { return nil }
        return switch health {
        // The trial has no credentials, so the answer need not name an account.
        case .well, .refused: Finding(.answer, .ok, "\(trial.backend) answers.")
        case .ill(let failure, _) where failure.reason == .profile: Finding(.answer, .ok, "\(trial.backend) answers.")
        case .ill(let failure, _) where failure.reason == .throttled:
            Finding(
                .answer, .warning, "\(trial.backend) answers, and asks Homing to wait: \(failure.message.asSentence)",
                remedy: "Homing waits and continues automatically.")
        case .ill(let failure, _), .intercepted(let failure), .unreachable(let failure):
            Finding(.answer, .problem, failure.message.asSentence, remedy: Self.remedy(for: failure, at: trial))
        }
    }

    /// Compares with the server's clock, to a second. Nil if it is unknown.
    private func clock(_ trial: BackendTrial) -> Finding? {
        guard let skew = trial.skew else { return nil }
        let seconds = Int(min(skew.magnitude, 1e9).rounded())
        guard seconds > Self.tolerableSkew else { return Finding(.clock, .ok, "The clock agrees with that of \(trial.backend).") }
        let side = skew > 0 ? "behind" : "ahead of"
        return Finding(
            .clock, seconds > Self.graveSkew ? .problem : .warning,
            "The station’s clock is \(seconds) seconds \(side) that of \(trial.backend).",
            remedy: NetworkTime.remedy(isInstalled: facts.hasTimeService))
    }

    /// In seconds: of the time of an answer, and of the life of a token.
    private static let (tolerableSkew, graveSkew) = (30, 300)

    private static let proxySetting = "‘proxy’ in homing.yaml, or HTTPS_PROXY in the environment of homingd"

    /// Nil unless the fault is at the proxy, or behind it.
    private static func remedy(for failure: Failure, through proxy: String, to host: String) -> String? {
        switch failure.reason {
        case .offline:
            """
            Check that the proxy \(proxy) runs, and lets this station connect to \(host). To use another proxy, change \(proxySetting). To \
            connect without a proxy, add \(host) to ‘no_proxy’ in homing.yaml. After a change, run: sudo systemctl restart homingd
            """
        case .intercepted where failure.status == 407: "Correct \(proxySetting). Then run: sudo systemctl restart homingd"
        default: nil
        }
    }

    private static func remedy(for failure: Failure, at trial: BackendTrial) -> String {
        if let proxy = trial.proxy, let remedy = Self.remedy(for: failure, through: proxy, to: trial.host) { return remedy }
        let text = CoolingText(reason: failure.reason, message: failure.message)
        if let remedy = text.remedy(then: "Homing continues automatically.") { return remedy }
        return failure.reason == .offline
            ? "Check the network connection and the firewall. If both work, tell the administrator of \(trial.backend)."
            : "Tell the administrator of \(trial.backend). Homing continues automatically."
    }

    // MARK: The station

    /// `homing status` reports a shortage.
    private var space: Finding {
        let free = facts.space.free.map { ", and \(Words.size(Int($0))) are free on the disk" } ?? ""
        let used = "\(Words.size(Int(facts.space.used))) of at most \(Words.size(Int(facts.space.limit)))"
        return Finding(.space, .ok, "The store takes \(used)\(free).")
    }

    private var files: [Finding] {
        guard !facts.faults.isEmpty else { return [Finding(.files, .ok, "The daemon can use its files and folders.")] }
        return facts.faults.map { Finding(.files, .problem, $0, remedy: facts.repair ?? "To check all files, run: sudo homingd check") }
    }

    private var key: Finding {
        let remedy = """
            Put your copy of homing.key back before the next restart of homingd. Without it, the daemon does not start. If the file was \
            deleted and you have no copy, run now: sudo homingd key export KEYFILE --unencrypted
            """
        return facts.keyFault.map { Finding(.key, .problem, $0.asSentence, remedy: remedy) }
            ?? Finding(.key, .ok, "The key is in place.")
    }
}
