import Files
import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Capture

struct Drop {
    let directory: TemporaryDirectory
    let addressing: FakeAddressing
    var backend: String?
    /// The file operations, which a test can make fail.
    var calls: Folder.Calls
    var outbox: Outbox
    var spool: Spool
    let clock = TestClock()
    let log = LogLines()
    var unclaimed: UnclaimedFiles
    /// For any path below `directory`.
    private let folders: SpoolFolders

    init(
        _ account: Account? = .ann, unclaimed: UnclaimedFiles = .ask, calls: Folder.Calls = .init(), maxBytes: Int64 = .max,
        in parent: String = "/tmp"
    ) throws {
        try self.init(accounts: ["breathesafe": account], unclaimed: unclaimed, calls: calls, maxBytes: maxBytes, in: parent)
    }

    /// The account counts as signed in before anything is dropped.
    ///
    /// - Parameter maxBytes: the limit of the outbox.
    init(
        accounts: [String: Account?], backend: String? = nil, unclaimed: UnclaimedFiles = .ask, calls: Folder.Calls = .init(),
        maxBytes: Int64 = .max, in parent: String = "/tmp"
    ) throws {
        self.unclaimed = unclaimed
        directory = try TemporaryDirectory(in: parent)
        self.folders = SpoolFolders(root: directory.path)
        addressing = FakeAddressing(accounts)
        self.backend = backend
        self.calls = calls
        outbox = try Outbox(
            file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, maxBytes: maxBytes, now: clock.now)
        let folders = SpoolFolders(root: directory("spool"))
        try folders.make()
        for name in accounts.keys + ["gone", "old", "lab", "breathesafe"] {
            for account in [Account.ann, .bob] { _ = try folders.register(Destination(backend: name, account: account.id)) }
        }
        if let name = backend ?? accounts.keys.first, let account = accounts[name] ?? nil {
            try folders.setPresent(Destination(backend: name, account: account.id))
        }
        spool = try Self.spool(directory, backend, unclaimed, calls, outbox, addressing, clock, log)
    }

    /// Notifies the drop folder at once, like the daemon.
    func signIn(_ account: Account?) async {
        addressing.signIn(account)
        await spool.accountMayHaveChanged()
    }

    private static func spool(
        _ directory: TemporaryDirectory, _ backend: String?, _ unclaimed: UnclaimedFiles, _ calls: Folder.Calls, _ outbox: Outbox,
        _ addressing: FakeAddressing, _ clock: TestClock, _ log: LogLines
    ) throws -> Spool {
        var settings = SpoolSettings(directory: directory("spool"))
        (settings.backend, settings.unclaimed) = (backend, unclaimed)
        return try Spool(
            settings, intake: Intake(outbox: outbox, addressing: addressing, clock: clock), outbox: outbox, clock: clock,
            log: Logger(label: "test") { _ in log }, calls: calls)
    }

    mutating func restart(accounts: [String: Account?]? = nil) throws {
        let addressing = accounts.map { FakeAddressing($0) } ?? addressing
        spool = try Self.spool(directory, backend, unclaimed, calls, outbox, addressing, clock, log)
    }

    func path(_ name: String) -> String { directory("spool/" + name) }

    /// Writes the file elsewhere and moves it in.
    func put(_ content: Data, _ name: String, age: TimeInterval = 60) throws {
        let target = path(name)
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try put(content, FilePath(target), age: age)
    }

    func put(_ content: String, _ name: String, age: TimeInterval = 60) throws { try put(Data(content.utf8), name, age: age) }

    /// The folder must exist; the name need not be UTF-8.
    func put(_ content: Data, _ target: FilePath, age: TimeInterval = 60) throws {
        let draft = directory("draft-\(UUID().uuidString)")
        let handle = FileHandle(fileDescriptor: open(draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644), closeOnDealloc: true)
        try handle.write(contentsOf: content)
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: clock.now.addingTimeInterval(-age)], ofItemAtPath: draft)
        waitUntilWhole(draft)
        try #require(target.withPlatformString { rename(draft, $0) } == 0)
    }

    func close(_ handle: FileHandle, _ name: String) throws {
        try handle.close()
        waitUntilWhole(path(name))
    }

    /// Programs that other tests start hold the descriptor until they execute; the kernel does not tell when.
    private func waitUntilWhole(_ file: String) {
        while folders.isWhole(FilePath(file)) == false { usleep(1000) }
    }

    func names(_ folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted() }

    func content(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Without the line that names the place.
    func reason(_ name: String) throws -> String {
        let lines = try content("refused/\(name).reason").split(separator: "\n")
        return lines.filter { !$0.hasPrefix("It was dropped as ") }.joined(separator: "\n")
    }

    func entries() async throws -> [Entry] { try await outbox.entries(limit: 500) }

    /// Accepts an entry that creates a user for ann.
    func create(_ number: Int, replacing old: Int? = nil) async throws {
        var create = Samples.create(number)
        create.creates = "users"
        create.supersedes = old.map(Samples.id)
        _ = try await outbox.enqueue(create, at: clock.now)
    }

    /// The reason for a file whose folder names a create that another one replaced.
    func refusal(of old: Int, replacedBy new: Int) -> String {
        """
        The file’s folder names entry \(Samples.id(old)), which was to create a user, but entry \(Samples.id(new)) replaced that entry \
        and creates the user. Drop the file into \(path("new/users"))/@\(Samples.id(new))/.
        """
    }

    func documents(of account: Account = .ann) async throws -> [String] {
        let destination = Destination(backend: "breathesafe", account: account.id)
        var documents: [String] = []
        while let entry = try await outbox.claim([destination: 1], at: clock.now).entries.first {
            documents.append(String(decoding: entry.mutation.payload ?? Data(), as: UTF8.self))
            let settled = Settled(entry, .delivered(Samples.receipt), attempt: nil)
            _ = try await outbox.settle([settled], thenClaim: [:], at: clock.now)
        }
        return documents
    }

    func running(_ work: (AsyncStream<Void>) async throws -> Void) async throws {
        let news = outbox.eventsWritten.listen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let spool = spool
            group.addTask { await spool.run() }
            try await work(news)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    func stored(_ count: Int, _ news: AsyncStream<Void>) async throws {
        if try await entries().count >= count { return }
        for await _ in news where try await entries().count >= count { return }
    }

    static func capture(_ number: Int) -> String { #"{"average_measurements":{"1-2":{"value":\#(number)}}}"# }
}

struct LogLines: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }
    private let lines = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    var all: [String] { lines.all.withLock(\.self) }

    func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.all.withLock { $0.append(([event.message.description] + facts).joined(separator: " ")) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

extension TakenName {
    init(id: MutationID, backend: String, account: AccountID, folder: String?, original: String) {
        self.init(
            id: id, owner: OwnerKey(Destination(backend: backend, account: account)), folder: folder, original: original)
    }
}
