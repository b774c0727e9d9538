import ArgumentParser
import ControlAPI
import Foundation
import Glibc

struct BackupCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a backup of the store to a file.",
        discussion: """
            For administrators. The daemon continues to accept and send entries, and records the backup as an event. The file \
            belongs to you alone, and gets its name once it is complete and on the disk. Until then it ends in .unfinished.

            Payloads and sessions in the file are sealed with the key of this station, which is not in the file. A backup cannot be \
            restored without the key, so keep a copy of it. Keep that in another place: anyone who has both can read the measurements.

            To restore a backup while the daemon is stopped: sudo homingd restore FILE
            """)

    @Argument(help: "A new file.", completion: .file()) var file: String
    @Flag(help: "Replace an earlier backup.") var force = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if file.isEmpty || file == "-" { throw ValidationError("FILE is ‘\(file)’; expected the path of a new file.") }
    }

    /// Throws for a file that is no backup, such as the store or its key. The marks are those of `StoreBackup`.
    static func requireBackup(_ path: String) throws(Problem) {
        var facts = stat()
        // `UnfinishedFile` refuses anything else, and a FIFO would wait for a writer.
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        // `try?`: an unreadable file is replaced only by one of the same name.
        guard let header = try? file.read(upToCount: 100) ?? Data() else { return }
        guard header.count == 100, header.starts(with: Data("SQLite format 3\0".utf8)), header[68..<72] == Data("Homg".utf8) else {
            throw .invalid("‘\(path.printable)’ exists already, and is not a backup.", next: "Name a new file.")
        }
    }

    func run(_ context: Context) async throws {
        if force { try Self.requireBackup(file) }
        let unfinished = try UnfinishedFile(file, replaces: force)
        let interrupts = InterruptGuard { [draft = unfinished.draft] in unlink(draft) }
        defer { interrupts.lift() }
        var bytes = 0
        do {
            try await context.client.download(Endpoints.backup, NoInput()) { part in
                try unfinished.write(part)
                bytes += part.count
            }
            try unfinished.finish()
        } catch {
            unfinished.discard()
            throw error
        }
        let isOfService = context.client.socketPath == SocketLocation.system
        context.answer(BackupReport(file: file, bytes: bytes), BackupText.done(file, bytes, isOfService: isOfService))
    }
}

/// The result as JSON.
struct BackupReport: Codable, Equatable {
    var file: String
    var bytes: Int
}
