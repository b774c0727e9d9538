import Crypto
import Foundation
import Testing

@testable import Vault

/// The vectors of identity and recipient are from the age specification (https://age-encryption.org/v1).
@Suite struct AgeFileTests {
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

    @Test func bech32OfTheSpecificationIsDecoded() throws {
        #expect(Bech32.decoded(Self.identity, prefix: "age-secret-key-") == Data(repeating: 0x42, count: 32))
        let secret = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(repeating: 0x42, count: 32))
        #expect(AgeRecipient(Self.recipient)?.bytes == secret.publicKey.rawRepresentation)
    }

    private static let others: [String] = [
        "", "age1", "age", identity, String(recipient.dropLast()), "\(recipient)q", recipient.replacing("zvky", with: "zvkq"),
        recipient.replacing("zvky", with: "zvkb"), recipient.replacing("age1z", with: "age1Z"), recipient.replacing("age1", with: "agf1"),
    ]

    @Test(arguments: others) func otherTextIsNoRecipient(text: String) { #expect(AgeRecipient(text) == nil) }

    @Test func everyRecipientDecryptsTheFile() throws {
        let secrets = (0..<3).map { _ in Curve25519.KeyAgreement.PrivateKey() }
        let recipients = secrets.prefix(2).map { AgeRecipient(bytes: $0.publicKey.rawRepresentation) }
        let plain = VaultKey().content
        let file = try AgeFile.encrypted(plain, for: recipients)
        #expect(AgeFile.isEncrypted(file) && !AgeFile.isEncrypted(plain))
        #expect(file.range(of: plain.dropLast()) == nil)
        #expect(try file != AgeFile.encrypted(plain, for: recipients))
        for secret in secrets.prefix(2) { #expect(try decrypted(file, by: secret) == plain) }
        #expect(try decrypted(file, by: secrets[2]) == nil)
    }

    @Test func armouredFileIsEncrypted() {
        #expect(AgeFile.isEncrypted(Data("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n".utf8)))
        #expect(!AgeFile.isEncrypted(Data()))
    }

    /// Nil if no stanza is for this identity.
    private func decrypted(_ file: Data, by secret: Curve25519.KeyAgreement.PrivateKey) throws -> Data? {
        let mark = try #require(file.range(of: Data("\n--- ".utf8)))
        let end = try #require(file[mark.upperBound...].firstIndex(of: UInt8(ascii: "\n")))
        let lines = String(decoding: file[..<mark.lowerBound], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "age-encryption.org/v1")
        for place in stride(from: 1, to: lines.count, by: 2) {
            let share = try bytes(lines[place].dropFirst("-> X25519 ".count))
            guard lines[place].hasPrefix("-> X25519 "), let key = try fileKey(share, try bytes(lines[place + 1]), secret) else { continue }
            let code = HMAC<SHA256>.authenticationCode(
                for: file[...mark.lowerBound] + Data("---".utf8), using: derived(key, salt: Data(), "header"))
            #expect(try Data(code) == bytes(Substring(decoding: file[mark.upperBound..<end], as: UTF8.self)))
            let payload = Data(file[(end + 1)...])
            let nonce = try ChaChaPoly.Nonce(data: Data(repeating: 0, count: 11) + [1])
            let box = try ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: payload.dropFirst(16).dropLast(16), tag: payload.suffix(16))
            return try ChaChaPoly.open(box, using: derived(key, salt: payload.prefix(16), "payload"))
        }
        return nil
    }

    private func fileKey(_ share: Data, _ body: Data, _ secret: Curve25519.KeyAgreement.PrivateKey) throws -> SymmetricKey? {
        let shared = try secret.sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: share))
        let key = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: share + secret.publicKey.rawRepresentation, sharedInfo: Data("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32)
        let nonce = try ChaChaPoly.Nonce(data: Data(repeating: 0, count: 12))
        let box = try ChaChaPoly.SealedBox(nonce: nonce, ciphertext: body.dropLast(16), tag: body.suffix(16))
        // `try?`: the stanza is another recipient's.
        return (try? ChaChaPoly.open(box, using: key)).map { SymmetricKey(data: $0) }
    }

    private func derived(_ key: SymmetricKey, salt: Data, _ info: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: salt, info: Data(info.utf8), outputByteCount: 32)
    }

    private func bytes(_ text: Substring) throws -> Data {
        #expect(!text.contains("=") && text.count == 43)
        return try #require(Data(base64Encoded: "\(text)="))
    }
}
