import ArgumentParser
import ControlAPI

struct VersionCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Show the versions of homing and the daemon.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let versions = try await Versions(client: HomingVersion.current) { () async throws(Problem) in
            try await context.client.call(Endpoints.status, NoInput()).version
        }
        context.answer(versions, versions.text)
    }
}
