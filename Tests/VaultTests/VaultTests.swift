import Foundation
import Testing
import Vault

struct VaultTests {
    let vault = Vault(key: VaultKey())

    @Test func sealedDataOpensAgain() throws {
        let plain = Data("measurement".utf8)
        let sealed = try vault.seal(plain, as: "a")
        #expect(try vault.open(sealed, as: "a") == plain)
        #expect(sealed.count == plain.count + 28)
        #expect(sealed.range(of: plain) == nil)
        #expect(try vault.seal(plain, as: "a") != sealed)
    }

    @Test func refusesWrongNameKeyOrAlteredBytes() throws {
        let sealed = try vault.seal(Data("x".utf8), as: "a")
        #expect(throws: VaultError.self) { try vault.open(sealed, as: "b") }
        #expect(throws: VaultError.self) { try Vault(key: VaultKey()).open(sealed, as: "a") }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: VaultError.self) { try vault.open(damaged, as: "a") }
        }
        #expect(throws: VaultError.self) { try vault.open(sealed.dropLast(), as: "a") }
        #expect(throws: VaultError.self) { try vault.open(Data(), as: "a") }
    }

    @Test func theDigestIsSHA256() {
        let hex = Vault.digest(Data("abc".utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func keyDescriptionHidesItsBytes() throws {
        let bytes = Data((0..<32).map { UInt8($0) })
        let key = try #require(VaultKey(parsing: bytes))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "[secret]")
        #expect(!dumped.contains("32 bytes"))
    }

    // MARK: Proofs

    @Test func proofDependsOnTheTextThePurposeAndTheDigestKeyAlone() throws {
        let keyring = Keyring(at: Date(timeIntervalSince1970: 0))
        let (vault, other) = (Vault(keyring), Vault(Keyring(at: Date(timeIntervalSince1970: 0))))
        let proof = vault.proof(of: "text", for: "a")
        #expect(proof.count == 32 && proof == Vault(keyring.rotated(at: Date())).proof(of: "text", for: "a"))
        #expect(proof != vault.proof(of: "text", for: "b") && proof != vault.proof(of: "texts", for: "a"))
        #expect(proof != other.proof(of: "text", for: "a") && proof != vault.keyedDigest(Data("text".utf8)))
    }

    // MARK: Another data key

    @Test func vaultSealsWithTheNewDataKeyAndOpensWithBoth() throws {
        let keyring = Keyring(at: Date(timeIntervalSince1970: 0))
        let (vault, early) = (Vault(keyring), Vault(keyring))
        let old = try vault.seal(Data("x".utf8), as: "a")
        let digest = vault.keyedDigest(Data("x".utf8))
        #expect(try vault.resealed(old, as: "a") == nil)
        let rotated = keyring.rotated(at: Date(timeIntervalSince1970: 1))
        vault.adopt(rotated)
        #expect(vault.generation == 1 && vault.keyedDigest(Data("x".utf8)) == digest)
        vault.adopt(rotated)
        #expect(vault.generation == 1)
        let new = try #require(try vault.resealed(old, as: "a"))
        #expect(new.count == old.count)
        #expect(try vault.open(old, as: "a") == Data("x".utf8) && vault.open(new, as: "a") == Data("x".utf8))
        #expect(throws: VaultError.self) { try early.open(new, as: "a") }
        #expect(throws: VaultError.self) { try Vault(rotated.withoutEarlier).open(old, as: "a") }
        #expect(throws: VaultError.self) { try vault.resealed(old, as: "b") }
    }

    @Test func refreshesOnlyWhatWasSealedBeforeTheChange() throws {
        let keyring = Keyring(at: Date(timeIntervalSince1970: 0))
        let vault = Vault(keyring)
        let old = try vault.seal(Data("x".utf8), as: "a")
        #expect(try vault.refreshed(old, of: vault.generation, as: "a") == old)
        let rotated = keyring.rotated(at: Date(timeIntervalSince1970: 1))
        vault.adopt(rotated)
        let new = try vault.refreshed(old, of: 0, as: "a")
        #expect(try Vault(rotated.withoutEarlier).open(new, as: "a") == Data("x".utf8))
        #expect(try vault.refreshed(new, of: 0, as: "a") == new)
    }
}
