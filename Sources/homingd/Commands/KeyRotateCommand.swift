import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct KeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give the station a new master key and a new data key.",
        discussion: """
            Works while the daemon runs, and while it is stopped. Entries are accepted and sent meanwhile. The daemon then seals all \
            data again, and deletes the earlier data key. Only root and the daemon’s user may.

            Backups that were made before open only with the old key. If you have no copy of it, first run:
            homingd key export FILE --to RECIPIENT

            If the key is a credential of the service, Homing cannot write it: name the file of a new key. The change is complete when \
            that key is installed and the service has started with it.
            """)

    @Option(help: ArgumentHelp("A file with the new master key; the default is a random key.", valueName: "path"), completion: .file())
    var newKey: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await reportingErrors {
            let content = try newKey.map { try FileHandle.opened($0).readToEnd() ?? Data() }
            let actor = "uid \(getuid()), pid \(getpid())"
            let environment = ProcessInfo.processInfo.environment
            let key = try await KeyAdministration(configuration: common.config, environment: environment, credential: .current())
            print(try await key.rotate(to: content, by: actor) { print($0) })
        }
    }
}
