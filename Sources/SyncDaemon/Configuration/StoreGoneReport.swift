import ControlAPI
import Files

/// The part of `homingd check` about a running daemon whose store was deleted or replaced, or whose key was deleted.
package enum StoreGoneReport {
    /// The loss that the running daemon reports, and the commands that save the captures or the key. Nil if both are in their place, or no
    /// daemon answers.
    package static func text(file: String?, environment: [String: String]) async -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        let store = Daemon.store(in: configuration.stateDirectory)
        // Without the state directory there is no lock either, so only the socket tells whether a daemon runs.
        if !StoreCheckReport.isInUse(configuration.stateDirectory) {
            guard !DurableFile(path: store).exists else { return nil }
            if await SocketActivation().startsService(at: configuration.socket) { return nil }
        }
        // Two calls, in less time than ‘homing doctor’ gives the whole check.
        let client = ControlClient(socketPath: configuration.socket, timeout: .seconds(8))
        // `try?`: without an answer, the other checks report the missing directory.
        guard let status = try? await client.call(Endpoints.status, NoInput()) else { return nil }
        if let lost = text(of: status.attention, store: store) { return lost }
        // `try?`: the configuration was read above.
        guard let administration = try? KeyAdministration(configuration: file, environment: environment) else { return nil }
        return await administration.loss(client)
    }

    /// In the words of this program: the configuration may name another user's socket, and root would run the commands in its answer.
    static func text(of attention: [Attention], store: String) -> String? {
        guard let lost = attention.first(where: { $0.knownCode == .storeGone }) else { return nil }
        let log = store + "-wal"
        return "\(StoreGone.sentence(lost.facts?.path == log ? log : store))\n\(StoreGone.next)"
    }
}
