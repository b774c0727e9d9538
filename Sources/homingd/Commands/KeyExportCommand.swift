import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct KeyExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a copy of the master key, for example for a safe.",
        discussion: """
            With --to, the copy is encrypted for the owner of that age recipient. To decrypt it: age -d -i IDENTITY FILE

            FILE gets mode 0600, and is never overwritten.

            If homing.key was deleted or damaged, the running daemon still has the key, and the command asks it. Only root and the
            daemon's user may.
            """)

    @Argument(help: "The file to write, or ‘-’ for standard output.", completion: .file()) var file: String
    @Option(help: ArgumentHelp("Encrypt the copy for this recipient of age. Can be repeated.", valueName: "recipient"))
    var to: [String] = []
    @Flag(help: "Write the key unencrypted. Anyone with the file and a backup can read the captures.") var unencrypted = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if to.isEmpty != unencrypted {
            throw ValidationError("Name a recipient with ‘--to’, or write the key unencrypted with ‘--unencrypted’.")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let environment = ProcessInfo.processInfo.environment
            let key = try await KeyAdministration(configuration: common.config, environment: environment, credential: .current())
            let content = try await key.exported(to: to)
            if file == "-" {
                do { return try FileHandle.standardOutput.write(contentsOf: content) } catch {
                    throw StartError("The key could not be written to standard output (\(error.localizedDescription)).")
                }
            }
            try write(content)
            print("Wrote the key to \(file).")
        }
    }

    private func write(_ content: Data) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let next = errno == EEXIST ? "Name another file." : "Check the folder."
            throw StartError("‘\(file)’ cannot be created: \(String(cString: strerror(errno))). \(next)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: content)
            try handle.synchronize()
        } catch {
            unlink(file)
            throw StartError("‘\(file)’ cannot be written, so it was removed. Is its disk full?")
        }
    }
}
