import Backends
import Delivery
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

/// Files that an administrator did not mean, or that are not plain files of text.
@Suite struct DropInsHostileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("homing.yaml.d"), withIntermediateDirectories: true)
        try directory.write("state_directory: state\nsocket: homing.sock\n", to: "homing.yaml")
    }

    private func load() throws(Mistakes) -> Configuration { try Configuration.load(file: directory("homing.yaml"), environment: [:]) }

    private func mistakes() throws -> [Mistake] { try #require(#expect(throws: Mistakes.self) { try load() }).all }

    enum Kind: CaseIterable {
        case large, pipe, folder, bytes, dangling, device, loop
    }

    private func make(_ kind: Kind, at path: String) throws {
        switch kind {
        case .large:
            // Sparse: no byte of it is on the disk.
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, 100 << 20) == 0)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .bytes: try Data([0x61, 0x3a, 0x20, 0xff, 0xfe]).write(to: URL(fileURLWithPath: path))
        case .dangling: #expect(symlink("nowhere.yaml", path) == 0)
        case .device: #expect(symlink("/dev/zero", path) == 0)
        case .loop: #expect(symlink("a.yaml", path) == 0)
        }
    }

    @Test(arguments: Kind.allCases) func refusesFileThatIsNotTextAndReadsNoneOfIt(kind: Kind) throws {
        try make(kind, at: directory("homing.yaml.d/a.yaml"))
        let found = try mistakes()
        #expect(found.map(\.file) == [directory("homing.yaml.d/a.yaml")])
        #expect(found.first?.expected == "a regular file of UTF-8 text, at most 1 MiB")
    }

    @Test func followsLinkToFile() throws {
        try directory.write("delivery: {in_flight: 9}\n", to: "shared")
        #expect(symlink("../shared", directory("homing.yaml.d/a.yaml")) == 0)
        #expect(try load().delivery.inFlight == 9)
    }

    @Test func lastOfAThousandFilesCounts() throws {
        for number in 1000..<2000 {
            try directory.write("delivery: {in_flight: \(number % 64 + 1)}\n", to: "homing.yaml.d/\(number).yaml")
        }
        let configuration = try load()
        #expect(configuration.files.count == 1001)
        #expect(configuration.delivery.inFlight == 1999 % 64 + 1)
    }

    @Test func mergesTablesOfManyKeys() throws {
        for name in ["a", "b"] {
            let keys = (0..<20_000).map { "  k\($0): 1\n" }.joined()
            try directory.write("no_such_table:\n\(keys)", to: "homing.yaml.d/\(name).yaml")
        }
        #expect(try mistakes().map(\.key) == ["no_such_table"])
    }

    @Test func refusesFolderThatIsAFileOrLeadsNowhere() throws {
        try FileManager.default.removeItem(atPath: directory("homing.yaml.d"))
        #expect(try load().delivery.inFlight == 4)
        try directory.write("delivery: {in_flight: 9}\n", to: "homing.yaml.d")
        #expect(try mistakes().map(\.file) == [directory("homing.yaml.d")])
        try FileManager.default.removeItem(atPath: directory("homing.yaml.d"))
        #expect(symlink("nowhere", directory("homing.yaml.d")) == 0)
        #expect(try mistakes().map(\.file) == [directory("homing.yaml.d")])
    }

    @Test func namesIgnoredFilesExceptHiddenOnesAndBackups() throws {
        let silent = [".a.yaml", "a.yaml~", "a.yaml.dpkg-old", "a.yaml.dpkg-dist", "a.yaml.ucf-new", "a.yaml.bak", ".gitkeep"]
        let named = ["README", "b.yml", "c.yaml.txt"]
        for name in silent + named { try directory.write("delivery: {in_flight: 9}\n", to: "homing.yaml.d/\(name)") }
        #expect(try load().delivery.inFlight == 4)
        #expect(DropIns(of: directory("homing.yaml")).ignored == named.map { directory("homing.yaml.d/\($0)") })
        let text = ConfigurationCheck.run(file: directory("homing.yaml"), environment: [:]).text
        let words = "/homing.yaml.d/b.yml is ignored: the name of an addition to the configuration must end in .yaml. Rename it."
        #expect(text.contains(words), "\(text)")
    }

    /// A user who can write there can redirect captures.
    @Test(arguments: ["homing.yaml.d", "homing.yaml.d/a.yaml"]) func reportsDropInsThatAllUsersCanChange(name: String) throws {
        try directory.write("delivery: {in_flight: 9}\n", to: "homing.yaml.d/a.yaml")
        func text(mode: mode_t) -> String {
            chmod(directory(name), mode)
            return ConfigurationCheck.run(file: directory("homing.yaml"), environment: [:]).text
        }
        #expect(!text(mode: 0o775).contains("no write access for all users"))
        let said = text(mode: 0o777)
        #expect(said.contains("\(directory(name)): expected no write access for all users"), "\(said)")
    }
}
