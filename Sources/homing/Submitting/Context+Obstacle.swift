import ControlAPI

extension Context {
    /// Why an accepted entry needs a person before it is sent.
    func obstacle(to entry: String, at backend: String) async -> String? {
        // `try?`, also below: the entry is stored, and ‘homing status’ reports other problems.
        guard let status = try? await client.call(Endpoints.status, NoInput()) else { return nil }
        if let pause = SubmissionText.pause(of: backend, status) { return pause }
        // An unreachable backend needs no person.
        guard status.backends.contains(where: { $0.name == backend && $0.knownGate == .open }),
            let why = try? await client.call(Endpoints.why, EntryReference(id: entry))
        else { return nil }
        return SubmissionText.obstacle(why)
    }
}
