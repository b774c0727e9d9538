import Backends
import Logging

/// A difference between the active and the reread configuration.
enum ConfigurationChange: Sendable, Equatable {
    /// A `homing.yaml` key, with values in its syntax.
    case key(String, from: String, to: String)
    case backendAdded(String)
    case backendRemoved(String)
    /// Lists dotted profile keys only; values may be secrets.
    case backendChanged(String, keys: [String])

    static func all(
        from old: (configuration: Configuration, backends: [Backend]), to new: (configuration: Configuration, backends: [Backend])
    ) -> [ConfigurationChange] {
        keys(from: old.configuration, to: new.configuration) + backends(from: old.backends, to: new.backends)
    }

    static func keys(from old: Configuration, to new: Configuration) -> [ConfigurationChange] {
        let changed = zip(old.settings, new.settings).compactMap { old, new in
            old.value == new.value ? nil : ConfigurationChange.key(old.key, from: old.value, to: new.value)
        }
        guard old.limits.proxies != new.limits.proxies, !changed.contains(where: { ["proxy", "no_proxy"].contains($0.detail.name) }) else {
            return changed
        }
        // Does not reveal a proxy's user or password.
        return changed + [.key("proxy", from: "one user or password", to: "another")]
    }

    private static func backends(from old: [Backend], to new: [Backend]) -> [ConfigurationChange] {
        Set((old + new).map(\.name)).sorted().compactMap { name in
            guard let now = new.first(where: { $0.name == name }) else { return .backendRemoved(name) }
            guard let before = old.first(where: { $0.name == name }) else { return .backendAdded(name) }
            let keys = now.keysChanged(since: before)
            return keys.isEmpty ? nil : .backendChanged(name, keys: keys)
        }
    }

    func log(to log: Logger) {
        switch self {
        case .key(let key, let old, let new):
            log.notice("A configuration key has changed", metadata: ["key": "\(key)", "from": "\(old)", "to": "\(new)"])
        case .backendAdded(let name): log.notice("A backend was added", metadata: ["backend": "\(name)"])
        case .backendRemoved(let name): log.notice("A backend was removed", metadata: ["backend": "\(name)"])
        case .backendChanged(let name, let keys):
            log.notice("A backend’s profile has changed", metadata: ["backend": "\(name)", "keys": "\(keys.joined(separator: ", "))"])
        }
    }

    /// For an event.
    var detail: (name: String, text: String) {
        switch self {
        case .key(let key, let old, let new): (key, "\(old) → \(new)")
        case .backendAdded(let name): ("backends/\(name)", "added")
        case .backendRemoved(let name): ("backends/\(name)", "removed")
        case .backendChanged(let name, let keys): ("backends/\(name)", "changed: \(keys.joined(separator: ", "))")
        }
    }
}
