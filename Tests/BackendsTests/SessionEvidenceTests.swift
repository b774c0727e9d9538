import Foundation
import TestSupport
import Testing
import Vault

@testable import Backends

@Suite struct SessionEvidenceTests {
    private let folder: TemporaryDirectory
    private let vault = Vault(key: VaultKey())

    init() throws { folder = try TemporaryDirectory() }

    private func store(_ backend: String) throws {
        try SessionFile(directory: folder.path, backend: backend, vault: vault).save(SessionRecord(address: "https://\(backend).test"))
    }

    private func isSealed(by vault: Vault) -> Bool { SessionEvidence(directory: folder.path).isSealed(by: vault) }

    @Test func oneSessionThatOpensIsEnough() throws {
        #expect(!isSealed(by: vault))
        try store("lab")
        try Data("noise".utf8).write(to: URL(fileURLWithPath: folder("damaged.session")))
        #expect(isSealed(by: vault))
        #expect(!isSealed(by: Vault(key: VaultKey())))
    }

    @Test func whatIsNoSessionOrDoesNotOpenShowsNothing() throws {
        try store("lab")
        let file = URL(fileURLWithPath: folder("lab.session"))
        var content = try Data(contentsOf: file)
        try content.write(to: URL(fileURLWithPath: folder("lab.session.damaged-1")))
        content[content.count / 2] ^= 1
        try content.write(to: file)
        #expect(!isSealed(by: vault))
        #expect(!SessionEvidence(directory: folder("nowhere")).isSealed(by: vault))
    }
}
