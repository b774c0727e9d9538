import ControlAPI

extension Context {
    /// The reason that an accepted entry needs a person before it is sent; otherwise nil.
    func obstacle(to entry: String, at backend: String) async -> String? {
        // `try?`, also below: the entry is stored already, and ‘homing status’ reports other problems.
        guard let status = try? await client.call(Endpoints.status, NoInput()) else { return nil }
        if let pause = SubmissionText.pause(of: backend, status) { return pause }
        // An unreachable backend needs no action; the note is only for entries that need a person.
        guard status.backends.contains(where: { $0.name == backend && $0.knownGate == .open }),
            let why = try? await client.call(Endpoints.why, EntryReference(id: entry))
        else { return nil }
        return SubmissionText.obstacle(why)
    }
}
