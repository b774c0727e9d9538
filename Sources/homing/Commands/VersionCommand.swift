import ArgumentParser
import ControlAPI

struct VersionCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Show the versions of homing, the daemon and the package.")

    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let versions = try await Versions(client: HomingVersion.current, package: PackageVersion.current) { () async throws(Problem) in
            try await context.client.call(Endpoints.status, NoInput()).version
        }
        context.answer(versions, versions.text)
    }
}
