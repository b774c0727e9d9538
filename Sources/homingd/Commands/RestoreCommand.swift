import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a backup into a station without entries, while the daemon is stopped.",
        discussion: """
            FILE is a backup that ‘homing backup’ has written. The station needs the key that sealed it, and the same version of \
            Homing. Everything is checked before the store is replaced.

            Entries that were waiting when the backup was made may have been sent since. Homing looks them up before it sends them. If \
            the server cannot be asked, and would take a second one, they are on hold.

            For root, the command runs with the rights of the service’s user if the state directory belongs to it.
            """)

    @Argument(help: "The backup, or ‘-’ for standard input.", completion: .file()) var file: String
    @Option(
        help: ArgumentHelp("The key of the backup; the default is the station’s, homing.key in its state directory.", valueName: "path"),
        completion: .file())
    var key: String?
    @OptionGroup var common: CommonOptions

    func run() throws {
        do {
            // Both before the change of the user, who may not read them.
            let backup = try file == "-" ? FileHandle.standardInput : Self.opened(file)
            let key = try key.map { try Self.opened($0).readToEnd() ?? Data() }
            let actor = "uid \(getuid()), pid \(getpid())"
            let environment = try environment()
            let restore = try StoreRestore(configuration: common.config, environment: environment)
            print(try restore.run(backup, named: file, key: key, by: actor))
        } catch {
            FileHandle.standardError.write(Data("homingd: \(StartError.sentence(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }

    /// Switches to the service's user if it owns the state directory, so that the restored store belongs to it too.
    private func environment() throws -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        guard geteuid() == 0, ServiceIdentity.exists else { return environment }
        let state = try ConfigurationCheck.configuration(file: common.config, environment: environment).stateDirectory
        return try ServiceIdentity.owns(state) ? ServiceIdentity.assume(in: environment) : environment
    }

    private static func opened(_ path: String) throws -> FileHandle {
        // A FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StartError("‘\(path)’ cannot be opened: \(String(cString: strerror(errno))). Name a file that you may read.")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw StartError("‘\(path)’ is not a regular file. Name a file; to read a backup from a pipe, use ‘-’.")
        }
        return handle
    }
}
