import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Glibc
import Outbox
import SyncModel
import Vault

/// Gathers facts about the station for `homing doctor`, with the settings of deliveries. Changes nothing.
struct Examination: Sendable {
    let configuration: Configuration
    let backends: [Backend]
    let transport: any Transport
    let environment: [String: String]
    let outbox: Outbox
    let clock: any SyncClock
    /// The time limit for all connections to backends together.
    var patience = Duration.seconds(20)
    /// One examination at a time, because each starts look-ups of names. It knows no caller.
    let run = SharedRun<Result<StationFacts, OutboxError>>()

    func facts(for caller: Caller) async throws(OutboxError) -> StationFacts {
        var facts = try await run.value { await examined }.get()
        (facts.user, facts.group) = (UserName(caller.peer.uid).short, caller.group)
        return facts
    }

    private var examined: Result<StationFacts, OutboxError> {
        get async {
            do throws(OutboxError) { return .success(try await facts()) } catch { return .failure(error) }
        }
    }

    private func facts() async throws(OutboxError) -> StationFacts {
        var facts = StationFacts(space: try await outbox.space())
        let hasFile = FileManager.default.fileExists(atPath: configuration.file)
        let file = hasFile ? configuration.file : nil
        if !hasFile {
            facts.missingConfiguration = configuration.file
            // The unit names the file, so the service does not start without it.
            facts.needsConfiguration = ServiceIdentity.owns(configuration.stateDirectory)
        }
        facts.hasTimeService = NetworkTime.isInstalled
        facts.isConfigurationGood = ConfigurationCheck.run(file: file, environment: environment).isGood
        facts.proxies = configuration.limits.proxies
        facts.faults = StateFiles.faults(in: configuration.stateDirectory)
        facts.keyFault = await keyFault
        if let operators {
            let faults = DropFolderCheck(operators: operators, daemon: geteuid()).faults(of: configuration.spool.directory)
            facts.repair = faults.isEmpty ? nil : ServiceCheckReport.repair(configuration)
            facts.faults += faults
        }
        facts.trials = await trials
        return facts
    }

    var settings: SettingsReport { SettingsReport(configuration, backends) }

    /// At the same time, by name. After `patience`, the rest counts as without an answer.
    var trials: [BackendTrial] {
        get async {
            let proxies = configuration.limits.proxies
            return await withTaskGroup(of: BackendTrial?.self) { group in
                for backend in backends {
                    group.addTask { await BackendTrial(of: backend, over: transport, proxies, clock: clock) }
                }
                group.addTask {
                    try? await Task.sleep(for: patience, clock: .continuous)  // `try?`: cancelled, all trials have ended
                    return nil
                }
                var trials: [BackendTrial] = []
                while trials.count < backends.count, let trial = await group.next() ?? nil { trials.append(trial) }
                group.cancelAll()
                let late = backends.filter { backend in !trials.contains { $0.backend == backend.name } }
                trials += late.map { BackendTrial(unanswered: $0, through: proxies, within: patience) }
                return trials.sorted { $0.backend < $1.backend }
            }
        }
    }

    /// The group whose members drop files at the installed service; nil without one.
    private var operators: AccessGroups.Group? {
        guard configuration.spool.isEnabled, ServiceIdentity.owns(configuration.stateDirectory) else { return nil }
        return configuration.access.operate
    }

    /// Reads the store only through SQLite: to close its file would release SQLite's locks on it.
    private var keyFault: String? {
        get async {
            // `try?`: the store is reported elsewhere.
            let copy = try? await outbox.keptKeyring()
            do {
                let keys = try StationKeys.find(environment: environment, stateDirectory: configuration.stateDirectory) {
                    [copy].compactMap(\.self)
                }
                return keys == nil ? "The key of this station is missing." : nil
            } catch { return StartError.sentence(for: error) }
        }
    }
}
