import Backends
import ControlAPI
import ControlServer
import Delivery
import Files
import Foundation
import Glibc
import Outbox
import Salvage
import SyncModel
import Vault

/// `homingd key`: the master key of a station, while its daemon runs or is stopped (Decisions/MasterKeyAndDataKeys.md).
package struct KeyAdministration: Sendable {
    let configuration: Configuration
    private let environment: [String: String]
    private let credential: ServiceCredential
    var activation = SocketActivation()

    var state: String { configuration.stateDirectory }
    var source: KeySource { KeySource(environment: environment, stateDirectory: state) }
    private var isRunning: Bool { StoreCheckReport.isInUse(state) }

    /// - Parameter file: the configuration; nil for the default path.
    package init(
        configuration file: String?, environment: [String: String], credential: ServiceCredential = ServiceCredential()
    ) throws {
        configuration = try Configuration.load(file: file, environment: environment)
        var environment = environment
        // For root and the service's user.
        if environment["CREDENTIALS_DIRECTORY"] == nil, credential.isPassed(for: configuration.stateDirectory) {
            environment["CREDENTIALS_DIRECTORY"] = ServiceCredential.folder
        }
        (self.environment, self.credential) = (environment, credential)
    }

    /// The key in sentences, without the key.
    package func show(at now: Date = Date()) async throws -> String {
        func shown(_ report: KeyReport) -> String {
            let problem = self.fault(of: report)
            let words = text(report, isRunning: true, isInFile: problem == nil, Moment(now: now))
            return [words, problem].compactMap(\.self).joined(separator: "\n")
        }
        if isRunning { return shown(try await call(Endpoints.key, NoInput())) }
        do { return text(KeyReport(try keys()), isRunning: false, Moment(now: now)) } catch let cause {
            // The daemon of another state directory may have the socket. `try?`: the cause has the right next step.
            guard let report = try? await answer(Endpoints.key, NoInput()), report.path == source.path else { throw cause }
            return shown(report)
        }
    }

    /// Gives the station a new master key and a new data key. Returns the next steps.
    ///
    /// - Parameters:
    ///   - content: of the file with the new master key; nil for a random one.
    ///   - actor: as in events.
    ///   - tell: called if the stopped station has a damaged store, or an older copy of it, even if the change then fails.
    package func rotate(
        to content: Data?, by actor: String, at now: Date = Date(), telling tell: (String) -> Void = { _ in }
    ) async throws -> String {
        if isRunning {
            // As text, so that a key of raw bytes can be sent.
            let newKey = content.map { VaultKey(parsing: $0)?.content ?? $0 }.map { String(decoding: $0, as: UTF8.self) }
            return nextSteps(try await call(Endpoints.rotateKey, KeyRotation(newKey: newKey)))
        }
        try requireVisibleKey()
        try assumeOwner()
        return nextSteps(try await rotateStopped(to: content, by: actor, at: now, telling: tell))
    }

    /// The content of a key file, encrypted for recipients of age unless there are none. If the file is missing or damaged, from the
    /// running daemon.
    package func exported(to recipients: [String]) async throws -> Data {
        let all = try recipients.map { text in
            guard let recipient = AgeRecipient(text) else {
                throw StartError("The value of --to is no recipient of age. Expected one such as age1… from: age-keygen -y IDENTITY")
            }
            return recipient
        }
        let content = try await masterContent()
        return try all.isEmpty ? content : AgeFile.encrypted(content, for: all)
    }

    /// Puts a key into the state directory. Never in the place of another key that opens the data. Returns the result in a sentence.
    package func take(_ content: Data) throws -> String {
        let key = try VaultKey(copy: content, for: "homingd key import -")
        if source.isCredential {
            throw StartError("The service gets its key as a credential (\(source.path)), so a key in \(state) would not be used.")
        }
        if let path = credential.source(for: state) {
            let isEncrypted = path.contains("credstore.encrypted")
            throw StartError(
                """
                The service gets its key as a credential from \(path), so a key in \(state) would not be used. \
                To install your copy there, run:
                sudo \(isEncrypted ? "systemd-creds encrypt --name=homing.key KEYFILE" : "install -m 0600 KEYFILE") \(path)
                """)
        }
        try assumeOwner()
        try checkState()
        let lock = try StateLock(directory: state)
        defer { withExtendedLifetime(lock) {} }
        let copies = { Daemon.keyrings(in: state) }
        let present = DurableFile(path: source.path)
        if let content = try present.readOrNothing(upTo: KeySource.mostBytes), let found = VaultKey(parsing: content) {
            if found == key { return "The station has this key already." }
            if try StationKeys.opens(found, in: state, copies: copies) == true {
                throw StartError("The station uses another key: \(source.path). Nothing was changed.")
            }
        }
        if try StationKeys.opens(key, in: state, copies: copies) == false {
            throw StartError("This key does not open the data in \(state). Nothing was changed.")
        }
        try present.replace(with: key.content)
        return "The key \(key.fingerprint) is in its place, \(source.path)."
    }
}

// MARK: - Without the daemon, and with it

extension KeyAdministration {
    private func masterContent() async throws -> Data {
        do { return try keys().master.content } catch let cause {
            guard !source.isCredential, let copy = try await answer(Endpoints.copyKey, NoInput()) else { throw cause }
            return Data(copy.key.utf8)
        }
    }

    /// The answer of a daemon whose lock may be gone with the state directory; nil if none runs.
    private func answer<Request, Response>(_ endpoint: Endpoint<Request, Response>, _ request: Request) async throws -> Response? {
        guard await mayConnect() else { return nil }
        do {
            return try await ControlClient(socketPath: configuration.socket).call(endpoint, request)
        } catch  where error.code == .daemonNotRunning {
            return nil
        } catch { throw StartError(error) }
    }

    private func mayConnect() async -> Bool {
        if isRunning { return true }
        return await !activation.startsService(at: configuration.socket)
    }

    private func keys() throws -> StationKeys {
        try requireVisibleKey()
        do {
            if let keys = try Daemon.findKeys(for: state, environment: environment) { return keys }
        } catch let error as FileError {
            if access(source.path, R_OK) != 0, errno == EACCES { throw unreadable() }
            throw error
        }
        throw absence()
    }

    /// Only root sees whether the stopped service has a credential.
    private func requireVisibleKey() throws(StartError) {
        if !source.isCredential, !isRunning, let path = credential.source(for: state) {
            throw StartError(
                """
                The service gets its key as a credential from \(path), which can be read only while the service runs. Start the service \
                first, then repeat the command:
                sudo systemctl start homingd
                """)
        }
    }

    /// Switches root to the service's user if that owns the state directory, so that new files are its own. Not before a call: its event
    /// names the user.
    private func assumeOwner() throws {
        guard geteuid() == 0, ServiceIdentity.owns(state) else { return }
        _ = try ServiceIdentity.assume(in: environment)
    }

    private func checkState() throws {
        guard let owner = DurableFile(path: state).owner else {
            throw StartError("The state directory \(state) does not exist. To make it, run: \(StateFiles.creation(of: state))")
        }
        guard owner == geteuid() else {
            throw StartError("\(state) belongs to \(UserName(owner).short), who must own the key too. Run the command as that user.")
        }
    }

    /// Opens the store as a start does, so that its copy of the keyring is never older than the key file.
    private func rotateStopped(
        to content: Data?, by actor: String, at now: Date, telling tell: (String) -> Void
    ) async throws -> KeyReport {
        _ = try keys()
        try checkState()
        if let fault = StateFiles.faults(in: state).first { throw StartError(fault) }
        let lock = try StateLock(directory: state)
        defer { withExtendedLifetime(lock) {} }
        let mark = try CrashMark(directory: state)
        let keeper = KeyKeeper(
            try StationKeys.load(environment: environment, stateDirectory: state, now: now) { Daemon.keyrings(in: state) })
        // For an older copy of the store: the profiles say which of its entries can be looked up.
        let backends = try ProfileLibrary.load(directory: configuration.backends, deviceID: "key", version: HomingVersion.current)
        let (outbox, report) = try StoreDoctor.open(
            file: Daemon.store(in: state), vault: keeper.vault, crashed: mark.earlierRunCrashed,
            lookupAfter: configuration.delivery.retry.lookupAfter, now: now, traits: backends.traits,
            permit: { try keeper.compare(with: Daemon.keyrings(in: state), at: now) })
        // The next start finds neither again.
        if let report { tell("\(report.sentence) The damaged files are in \(report.folder).") }
        if let copy = outbox.olderCopy { tell(copy.sentences) }
        do {
            try keeper.copy(to: outbox, at: now)
            do { try await keeper.rotate(to: content, in: outbox, by: actor, at: now) } catch let problem as Problem {
                throw StartError(problem)
            }
            try outbox.close()
        } catch {
            // `try?`: the earlier error is the cause.
            try? outbox.close()
            throw error
        }
        try mark.clear()
        return keeper.report
    }

    private func call<Request, Response>(_ endpoint: Endpoint<Request, Response>, _ request: Request) async throws -> Response {
        do { return try await ControlClient(socketPath: configuration.socket).call(endpoint, request) } catch { throw StartError(error) }
    }
}

extension StartError {
    fileprivate init(_ problem: Problem) { self.init([problem.detail, problem.next].compactMap(\.self).joined(separator: "\n")) }
}
