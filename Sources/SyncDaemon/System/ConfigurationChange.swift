import Backends
import Logging

/// One difference between the configuration in force and the one that was read again.
enum ConfigurationChange: Sendable, Equatable {
    /// A key of `homing.yaml`, with its values as one would write them.
    case key(String, from: String, to: String)
    case backendAdded(String)
    case backendRemoved(String)
    /// By the dotted keys of its profile; their values may be secrets.
    case backendChanged(String, keys: [String])

    /// All differences, keys first.
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
        // Of a proxy's user and password nothing is shown.
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

    /// What an event says of it.
    var detail: (name: String, text: String) {
        switch self {
        case .key(let key, let old, let new): (key, "\(old) → \(new)")
        case .backendAdded(let name): ("backends/\(name)", "added")
        case .backendRemoved(let name): ("backends/\(name)", "removed")
        case .backendChanged(let name, let keys): ("backends/\(name)", "changed: \(keys.joined(separator: ", "))")
        }
    }
}
