import ControlAPI

extension Status {
    /// The same as far as it concerns one backend, or the station itself; nil for everything.
    func only(_ backend: String?) -> Status {
        guard let backend else { return self }
        var status = self
        status.backends = backends.filter { $0.name == backend }
        status.attention = attention(of: backend)
        status.sentence = status.backends.first?.sentence ?? sentence
        return status
    }

    /// What needs a person, at this backend or at the station itself; nil for everything.
    func attention(of backend: String?) -> [Attention] { attention.filter { backend == nil || $0.backend == nil || $0.backend == backend } }

    /// An error that names the backends there are, where `name` is none of them.
    func requireBackend(_ name: String?) throws(Problem) {
        guard let name, !backends.contains(where: { $0.name == name }) else { return }
        throw .noBackend(name, among: backends.map(\.name))
    }
}
