import Crypto
import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// An attacker with the store but without the key. See KeyedDigests.
@Suite struct GuessingTests {
    private static func document(_ year: Int, _ gender: String) -> String {
        #"{"average_measurements":{},"birth_year":\#(year),"gender":"\#(gender)"}"#
    }

    private static let guesses = (1980...1991).flatMap { year in ["female", "male", "other"].map { document(year, $0) } }

    @Test func noHashOfAnyGuessIsInTheStore() async throws {
        let store = try Store()
        let mutation = Samples.mutation(1, payload: Self.document(1984, "female"))
        try await store.enqueue(mutation)
        try await store.enqueue(Samples.mutation(2, payload: Self.document(1991, "male")))
        try await store.deliver(try await store.claim()[0])
        #expect(try await store.outbox.emptyLog())
        let content = try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite")))
        var candidates: [Data] = []
        for guess in Self.guesses {
            let plain = SealedForm.plain(fields: #"{"user_id":5}"#, payload: guess)
            candidates += [Data(guess.utf8), plain, Data("breathesafe\nmeasurement\n".utf8) + plain]
            candidates.append(Data(mutation.id.description.utf8) + Data(guess.utf8))
        }
        let digests = try store.raw { db in try Data.fetchAll(db, sql: "SELECT digest FROM receipt UNION SELECT digest FROM entry") }
        #expect(digests.count == 2 && digests.allSatisfy { content.holds($0) })
        for candidate in candidates {
            for hash in Hashes.all(of: candidate) { #expect(!content.holds(hash.prefix(16)), "a guess was confirmed") }
        }
    }

    /// The control: the guesses use the stored form.
    @Test func guessesUseTheStoredForm() throws {
        let content = SealedContent(fields: ["user_id": 5], payload: Data(Self.document(1984, "female").utf8))
        #expect(SealedForm.plain(fields: #"{"user_id":5}"#, payload: Self.document(1984, "female")) == content.plain)
    }

    @Test(arguments: [SealedContent(), SealedContent(fields: ["a": "é"], hasFollower: true), SealedContent(payload: Data("{}".utf8))])
    func digestIsOfThePlainForm(content: SealedContent) {
        let vault = Vault(key: VaultKey())
        let digest = vault.keyedDigest(Data("lists\ntask\n".utf8), content.plain)
        #expect(content.digest(by: vault, backend: "lists", route: "task") == digest)
    }

    @Test func digestDependsOnContentAndKey() {
        let key = VaultKey()
        let content = Data("content".utf8)
        #expect(Vault(key: key).keyedDigest(content) == Vault(key: key).keyedDigest(content))
        #expect(Vault(key: key).keyedDigest(content) == Vault(key: key).keyedDigest(Data("con".utf8), Data("tent".utf8)))
        #expect(Vault(key: key).keyedDigest(content) != Vault(key: VaultKey()).keyedDigest(content))
        #expect(Vault(key: key).keyedDigest(content) != Vault.digest(content))
    }
}

/// The documented plain form of a content.
private enum SealedForm {
    static func plain(fields: String, payload: String) -> Data {
        let count = UInt32(fields.utf8.count).bigEndian
        return withUnsafeBytes(of: count) { Data($0) } + Data(fields.utf8) + Data([1]) + Data(payload.utf8)
    }
}

private enum Hashes {
    static func all(of data: Data) -> [Data] {
        [Data(SHA256.hash(data: data)), Data(Insecure.SHA1.hash(data: data)), Data(Insecure.MD5.hash(data: data))]
    }
}
