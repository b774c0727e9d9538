import ControlAPI

extension Status {
    /// The status of one backend and of the station itself; nil for everything.
    func only(_ backend: String?) -> Status {
        guard let backend else { return self }
        var status = self
        status.backends = backends.filter { $0.name == backend }
        status.attention = attention(of: backend)
        status.sentence = status.backends.first?.sentence ?? sentence
        return status
    }

    /// Attention items of this backend and of the station itself; nil for all.
    func attention(of backend: String?) -> [Attention] { attention.filter { backend == nil || $0.backend == nil || $0.backend == backend } }

    /// Throws if the backend is unknown; the error lists the backends.
    func requireBackend(_ name: String?) throws(Problem) {
        guard let name, !backends.contains(where: { $0.name == name }) else { return }
        throw .noBackend(name, among: backends.map(\.name))
    }
}
