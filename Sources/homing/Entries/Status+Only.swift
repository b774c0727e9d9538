import ControlAPI

extension Status {
    /// The status of one backend and the station; nil for everything.
    func only(_ backend: String?) -> Status {
        guard let backend else { return self }
        var status = self
        status.backends = backends.filter { $0.name == backend }
        status.attention = attention(of: backend)
        status.sentence = status.backends.first?.sentence ?? sentence
        return status
    }

    /// The problems of this backend and the station; nil for all.
    func attention(of backend: String?) -> [Attention] { attention.filter { backend == nil || $0.backend == nil || $0.backend == backend } }

    /// Throws if the backend is unknown; the error lists the backends.
    func requireBackend(_ name: String?) throws(Problem) {
        guard let name, !backends.contains(where: { $0.name == name }) else { return }
        let known = backends.isEmpty ? "none is configured" : "configured: \(backends.map(\.name).inWords)"
        throw .invalid("There is no backend ‘\(name.printable)’; \(known).", next: "Name one of these with --backend.")
    }

    /// The named backend, or the only one; an error lists the backends.
    func backend(named name: String?) throws(Problem) -> BackendReport {
        try requireBackend(name)
        guard let backend = backends.first(where: { name == nil || $0.name == name }) else {
            throw .invalid("No backend is configured.", next: "Ask the administrator to configure one for the daemon.")
        }
        guard name != nil || backends.count == 1 else {
            throw .invalid(
                "There is more than one backend: \(backends.map(\.name).inWords).", next: "Name one of these with --backend.")
        }
        return backend
    }
}
