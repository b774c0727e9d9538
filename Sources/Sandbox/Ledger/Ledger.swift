import Foundation
import Synchronization

package final class Ledger: Sendable {
    private struct Books {
        var entries: [LedgerEntry] = [] { didSet { tellWatchers() } }
        var requests: [RequestRecord] = [] { didSet { tellWatchers() } }
        var watchers: [UUID: AsyncStream<Void>.Continuation] = [:]

        private func tellWatchers() { for watcher in watchers.values { watcher.yield() } }
    }

    private let books = Mutex(Books())
    private let file: LedgerFile?

    init(file: LedgerFile?) { self.file = file }

    /// The accepted changes, in order of commit.
    package var entries: [LedgerEntry] { books.withLock { $0.entries } }

    /// The requests, in order of arrival.
    package var requests: [RequestRecord] { books.withLock { $0.requests } }

    /// Checks `isReached` after each change; also returns on cancellation.
    package func waits(until isReached: (Ledger) -> Bool) async {
        let (changes, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        books.withLock { $0.watchers[id] = watcher }
        defer { books.withLock { _ = $0.watchers.removeValue(forKey: id) } }
        watcher.yield()
        for await _ in changes where isReached(self) { return }
    }

    /// Records a request; returns its sequence number for the calls below.
    func arrived(_ request: SandboxRequest, carrying accounts: CarriedAccounts, at time: Date) -> Int {
        books.withLock { books in
            let sequence = books.requests.count + 1
            books.requests.append(
                RequestRecord(
                    sequence: sequence, time: time, method: request.method, path: request.path, account: accounts.session,
                    rememberedAccount: accounts.remembered, signingIn: accounts.signingIn))
            return sequence
        }
    }

    func met(_ fault: Fault, request: Int) {
        books.withLock { $0.requests[request - 1].fault = fault.name.rawValue }
    }

    /// Records an accepted change as unanswered and returns its sequence number.
    func committed(_ commit: Commit, by request: SandboxRequest, at time: Date) -> Int {
        let digest = LedgerEntry.digest(of: commit.document?.bytes ?? request.body)
        return books.withLock { books in
            let entry = LedgerEntry(
                sequence: books.entries.count + 1, time: time, method: request.method, path: request.path, resource: commit.resource,
                account: commit.account, user: commit.user, remoteID: commit.remoteID, clientMutationID: commit.clientMutationID,
                digest: digest, status: nil, answered: false)
            books.entries.append(entry)
            return entry.sequence
        }
    }

    /// Records the response; `status` is nil if the client received no complete one.
    func answered(request: Int, entries: [Int], status: Int?) {
        let changed = books.withLock { books in
            books.requests[request - 1].status = status
            for entry in entries {
                books.entries[entry - 1].status = status
                books.entries[entry - 1].answered = status != nil
            }
            return entries.map { books.entries[$0 - 1] }
        }
        for entry in changed { file?.append(entry) }
    }
}

/// The ledger as a file with one JSON object per line. The last line with a sequence number replaces earlier ones.
final class LedgerFile: Sendable {
    private let handle: Mutex<FileHandle>

    init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SandboxError.ledgerFile(path: path, reason: String(cString: strerror(errno))) }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func append(_ entry: LedgerEntry) {
        guard var line = try? SandboxJSON.encoder.encode(entry) else { return }  // numbers, text and dates: encoding cannot fail
        line.append(UInt8(ascii: "\n"))
        let whole = line
        // `try?`: a full disk must not change the backend's responses.
        handle.withLock { try? $0.write(contentsOf: whole) }
    }
}
