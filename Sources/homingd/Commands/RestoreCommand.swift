import ArgumentParser
import Foundation
import SyncDaemon

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup into a station without entries, while the daemon is stopped.",
        discussion: """
            FILE is a backup that ‘homing backup’ has written, with the same version of Homing. It opens with the key that its station had \
            then. If that is not the key of this station, name it with --key; afterwards the data opens with this station’s key. If \
            only the running service has the station’s key, as a credential, name a copy with --station-key, or with --key if the backup \
            was made with it. To use an encrypted copy of a key: age -d -i IDENTITY KEYFILE | sudo homingd restore FILE --key -

            Everything is checked before the store is replaced.

            Entries that were waiting when the backup was made may have been sent since. Homing looks them up before it sends them. If \
            the server cannot be asked, and would take a second one, they are on hold.

            For root, the command runs with the rights of the service’s user if the state directory belongs to it.
            """)

    @Argument(help: "The backup, or ‘-’ for standard input.", completion: .file()) var file: String
    @Option(
        help: ArgumentHelp(
            "The key of the backup, or ‘-’ for standard input; the default is the station’s, homing.key in its state directory.",
            valueName: "path"),
        completion: .file())
    var key: String?
    @Option(
        help: ArgumentHelp(
            "A copy of the station’s key, if that is a credential, and the backup has another one; ‘-’ for standard input.",
            valueName: "path"),
        completion: .file())
    var stationKey: String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard [file, key, stationKey].filter({ $0 == "-" }).count > 1 else { return }
        throw ValidationError("Only one of FILE, --key and --station-key can be ‘-’, because there is one standard input.")
    }

    func run() async throws {
        do {
            // All before the change of the user, who may not read them.
            let credential = await ServiceCredential.current()
            let backup = try file == "-" ? FileHandle.standardInput : FileHandle.opened(file)
            let key = try key.map { try Data(ofKeyAt: $0) }
            let stationKey = try stationKey.map { try Data(ofKeyAt: $0) }
            let actor = "uid \(getuid()), pid \(getpid())"
            let environment = try common.environmentOfOwner()
            let restore = try StoreRestore(configuration: common.config, environment: environment, credential: credential)
            print(try restore.run(backup, named: file, key: key, stationKey: stationKey, by: actor))
        } catch {
            FileHandle.standardError.write(Data("homingd: \(StartError.sentence(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }
}
