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
    /// One examination at a time, because each starts look-ups of names.
    let turns = ByteBudget(1)

    func facts(for caller: Caller) async throws(OutboxError) -> StationFacts {
        await turns.take(1)
        defer { turns.release(1) }
        var facts = StationFacts(user: UserName(caller.peer.uid).short, group: caller.group, space: try await outbox.space())
        let file = FileManager.default.fileExists(atPath: configuration.file) ? configuration.file : nil
        facts.isConfigurationGood = ConfigurationCheck.run(file: file, environment: environment).isGood
        facts.proxies = configuration.limits.proxies
        facts.faults = StateFiles.faults(in: configuration.stateDirectory)
        facts.keyFault = keyFault
        if let operators {
            let faults = DropFolderCheck(operators: operators, daemon: geteuid()).faults(of: configuration.spool.directory)
            facts.repair = faults.isEmpty ? nil : ServiceCheckReport.repair(configuration)
            facts.faults += faults
        }
        facts.trials = await trials
        return facts
    }

    var settings: SettingsReport { SettingsReport(configuration, backends) }

    /// At the same time, by name.
    private var trials: [BackendTrial] {
        get async {
            await withTaskGroup(of: BackendTrial.self) { group in
                for backend in backends {
                    group.addTask {
                        await BackendTrial(of: backend, over: transport, configuration.limits.proxies, clock: clock)
                    }
                }
                var trials: [BackendTrial] = []
                for await trial in group { trials.append(trial) }
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
        do {
            // `try?`: the store is reported elsewhere.
            let copy = try? outbox.storedKeyring()
            let keys = try StationKeys.find(environment: environment, stateDirectory: configuration.stateDirectory) {
                [copy].compactMap(\.self)
            }
            return keys == nil ? "The key of this station is missing." : nil
        } catch { return StartError.sentence(for: error) }
    }
}
