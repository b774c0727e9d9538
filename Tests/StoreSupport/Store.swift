import Foundation
import GRDB
import Outbox
import SyncModel
import TestSupport
import Vault

/// A store with its outbox, for tests.
package struct Store: Sendable {
    package let directory: TemporaryDirectory
    package let key: VaultKey
    package var outbox: Outbox
    package let clock: TestClock
    private let maxBytes: Int64

    /// - Parameter maxBytes: the limit of the outbox.
    package init(in parent: String = "/tmp", maxBytes: Int64 = .max, clock: TestClock = TestClock()) throws {
        (directory, key) = (try TemporaryDirectory(in: parent), VaultKey())
        (self.clock, self.maxBytes) = (clock, maxBytes)
        outbox = try Outbox(
            file: directory("outbox.sqlite"), vault: Vault(key: key), crashed: false, maxBytes: maxBytes, now: clock.now)
    }

    /// Opens the file again while the old instance exists, like the next run of the daemon.
    package mutating func restart(crashed: Bool = false) throws {
        outbox = try Outbox(
            file: directory("outbox.sqlite"), vault: Vault(key: key), crashed: crashed, maxBytes: maxBytes, now: clock.now)
    }

    /// Stores the keyring of `key`, as a daemon does at its start.
    package func keepKeyring() throws { try outbox.keep(WrappedKeyring(Keyring(from: key), under: [key])) }

    @discardableResult
    package func enqueue(_ mutation: Mutation) async throws -> Enqueued { try await outbox.enqueue(mutation, at: clock.now) }

    package func claim(_ count: Int = 1, account: AccountID = "1") async throws -> [Entry] {
        try await outbox.claim([Destination(backend: "breathesafe", account: account): ClaimOrder(count)], at: clock.now).entries
    }

    package func settle(_ entry: Entry, _ settlement: Settlement, _ verdict: Verdict? = nil, wasSent: Bool = true) async throws {
        let attempt = verdict.map { Attempt($0, route: Samples.route, startedAt: clock.now, endedAt: clock.now, wasSent: wasSent) }
        _ = try await outbox.settle([Settled(entry, settlement, attempt: attempt)], thenClaim: [:], at: clock.now)
    }

    package func deliver(_ entry: Entry) async throws { try await settle(entry, .delivered(Samples.receipt), .accepted(Samples.receipt)) }

    package func state(_ number: Int) async throws -> Entry.State? { try await outbox.entry(Samples.id(number))?.entry.state }

    /// Accesses the file directly.
    package func raw<T>(_ work: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: directory("outbox.sqlite"), configuration: configuration).write(work)
    }
}
