import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ServiceCredentialTests {
    private func property(_ pairs: [[String]]) throws -> String {
        let data = try JSONEncoder().encode(pairs)
        return #"{"type":"a(ss)","data":"# + String(decoding: data, as: UTF8.self) + "}\n"
    }

    private func sources(plain: [[String]], encrypted: [[String]] = []) throws -> [String]? {
        ServiceCredential.sources(in: try property(plain) + property(encrypted))
    }

    @Test func encryptedFileDoesNotCountForAUnitThatLoadsAPlainOne() throws {
        let files = try sources(plain: [["homing.webhook", "homing.webhook"], ["homing.key", "homing.key"]])
        #expect(
            files == [
                "/etc/credstore/homing.key", "/run/credstore/homing.key", "/usr/local/lib/credstore/homing.key",
                "/usr/lib/credstore/homing.key",
            ])
    }

    @Test func encryptedCredentialMayBeInAnyStore() throws {
        let files = try sources(plain: [["homing.webhook", "homing.webhook"]], encrypted: [["homing.key", "homing.key"]])
        #expect(files?.first == "/etc/credstore.encrypted/homing.key")
        #expect(files == ServiceCredential.possibleSources)
    }

    @Test func credentialWithAPathIsThatFileAlone() throws {
        #expect(try sources(plain: [], encrypted: [["homing.key", "/srv/station.key"]]) == ["/srv/station.key"])
        #expect(try sources(plain: [["homing.key", "other"]])?.first == "/etc/credstore/other")
    }

    @Test func unitThatDoesNotLoadTheKeyHasNoSource() throws {
        #expect(try sources(plain: []) == [])
        #expect(try sources(plain: [["homing.webhook", "homing.key"]]) == [])
    }

    @Test(arguments: ["", "a(ss) 0\na(ss) 0\n", #"{"type":"a(ss)","data":[]}"#]) func otherTextIsNoAnswer(text: String) {
        #expect(ServiceCredential.sources(in: text) == nil)
    }

    @Test func firstFileThatExistsIsTheSource() throws {
        let directory = try TemporaryDirectory()
        let files = ["first", "second", "third"].map { directory($0) }
        try directory.write("key", to: "second")
        try directory.write("key", to: "third")
        #expect(ServiceCredential(sources: files) { _ in true }.source(for: directory.path) == files[1])
        #expect(ServiceCredential(sources: files) { _ in false }.source(for: directory.path) == nil)
        #expect(ServiceCredential(sources: [files[0]]) { _ in true }.source(for: directory.path) == nil)
    }
}
