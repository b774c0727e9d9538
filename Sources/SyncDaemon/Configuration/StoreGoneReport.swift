import ControlAPI
import Files

/// The part of `homingd check` about a running daemon whose store was deleted or replaced.
package enum StoreGoneReport {
    /// What the daemon says of its store, and the commands that save the captures. Nil if the store is in its place, or no daemon answers.
    package static func text(file: String?, environment: [String: String]) async -> String? {
        // `try?`: the configuration check reports mistakes.
        guard let configuration = try? Configuration.load(file: file, environment: environment) else { return nil }
        guard !DurableFile(path: Daemon.store(in: configuration.stateDirectory)).exists else { return nil }
        // The lock is gone with the directory, so only the socket tells whether a daemon runs.
        if configuration.socket == SocketLocation.system, await SocketActivation().startsService() { return nil }
        // `try?`: without an answer, the other checks report the missing directory.
        let status = try? await ControlClient(socketPath: configuration.socket).call(Endpoints.status, NoInput())
        return status?.attention.first { $0.knownCode == .storeGone }.map { "\($0.text)\n\($0.next)" }
    }
}
