import ControlAPI
import Foundation
import Glibc

extension DoctorFacts {
    /// Asks the daemon and the system.
    static func gathered(_ context: Context) async -> DoctorFacts {
        let client = context.client
        var facts = DoctorFacts(status: await result { () async throws(Problem) in try await client.call(Endpoints.status, NoInput()) })
        if case .success = facts.status {
            facts.examination = await result { () async throws(Problem) in try await client.call(Endpoints.doctor, NoInput()) }
        } else {
            let isOfService = client.socketPath == SocketLocation.system
            facts.configuration = await configuration(client.socketPath, context.environment)
            if facts.configuration == nil { facts.command = isOfService ? "sudo homingd check" : "homingd check --config FILE" }
        }
        facts.units = await units(client.socketPath)
        facts.isClockSynchronised = await isClockSynchronised
        facts.hasTimeService = NetworkTime.isInstalled
        return facts
    }

    private static func result<Answer>(_ ask: () async throws(Problem) -> Answer) async -> Result<Answer, Problem> {
        do throws(Problem) { return .success(try await ask()) } catch { return .failure(error) }
    }

    /// Runs `homingd check` if it would read the configuration of the daemon with this socket.
    private static func configuration(_ socket: String, _ environment: [String: String]) async -> SystemProgram.Outcome? {
        guard socket == SocketLocation.system ? geteuid() == 0 : socket == SocketLocation.user(environment: environment) else { return nil }
        // Installed beside this program.
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        return await SystemProgram.run(folder.appendingPathComponent("homingd").path, ["check"], within: .seconds(30))
    }

    private static func units(_ socket: String) async -> [String: String] {
        guard socket == SocketLocation.system, SocketLocation.isServiceInstalled else { return [:] }
        let names = ["homingd.service", "homingd.socket"]
        // One line for each unit, also if it exits with 1 because none is enabled.
        guard let outcome = await SystemProgram.run("/usr/bin/systemctl", ["is-enabled"] + names) else { return [:] }
        let states = outcome.text.split(separator: "\n").map(String.init)
        return states.count == names.count ? Dictionary(uniqueKeysWithValues: zip(names, states)) : [:]
    }

    private static var isClockSynchronised: Bool? {
        get async {
            let property = ["show", "--property=NTPSynchronized", "--value"]
            let outcome = await SystemProgram.run("/usr/bin/timedatectl", property)
            switch outcome?.text.trimmingCharacters(in: .whitespacesAndNewlines) {
            case "yes"?: return true
            case "no"?: return false
            default: return nil
            }
        }
    }
}
