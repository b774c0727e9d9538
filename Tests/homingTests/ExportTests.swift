import ArgumentParser
import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import homing

@Suite struct ExportTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ name: String) throws -> Int? {
        try (FileManager.default.attributesOfItem(atPath: directory(name))[.posixPermissions] as? NSNumber)?.intValue
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: directory(name))), as: UTF8.self)
    }

    private func exported(_ number: Int, payload: String?) -> ExportedEntry {
        ExportedEntry(entry: Sample.entry(number, subject: Sample.subject()), fields: ["user_id": "28"], payload: payload)
    }

    @Test func fileBelongsToItsOwnerAlone() throws {
        try ExportFile.write(Data("{\"a\": 1.50}".utf8), to: directory("a.json"))
        #expect(try text("a.json") == "{\"a\": 1.50}")
        #expect(try mode("a.json") == 0o600)
    }

    @Test func noFileIsReplaced() throws {
        try directory.write("old", to: "a.json")
        try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: directory("nowhere"))
        for name in ["a.json", "link"] {
            let calls: [() throws -> Void] = [
                { try ExportFile.write(Data(), to: directory(name)) }, { try ExportFile.requireAbsent(directory(name)) },
            ]
            for call in calls {
                let problem = #expect(throws: Problem.self) { try call() }
                #expect(problem?.detail == "‘\(directory(name))’ exists already, and Homing replaces no file.")
            }
        }
        #expect(try text("a.json") == "old")
        #expect(try directory.names == ["a.json", "link"])
        try ExportFile.requireAbsent(directory("b.json"))
    }

    @Test func placeThatDoesNotExistIsNamed() throws {
        let problem = #expect(throws: Problem.self) { try ExportFile.write(Data(), to: directory("no/a.json")) }
        #expect(problem?.detail == "‘\(directory("no/a.json"))’ cannot be written: No such file or directory.")
        #expect(throws: Problem.self) { try ExportFolder(directory("no/folder")).write(Data(), as: "a.json") }
    }

    @Test func folderIsNewOrEmptyAndBelongsToItsOwnerAlone() throws {
        try FileManager.default.createDirectory(
            atPath: directory("empty"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        for name in ["new", "empty"] {
            let folder = try ExportFolder(directory(name))
            try folder.write(Data("1".utf8), as: "a.json")
            try folder.write(Data("2".utf8), as: "b.json")
            #expect(try mode(name) == 0o700)
            #expect(try text("\(name)/a.json") == "1" && text("\(name)/b.json") == "2")
            // It now has files.
            #expect(throws: Problem.self) { try ExportFolder(directory(name)) }
        }
        try directory.write("", to: "file")
        let problem = #expect(throws: Problem.self) { try ExportFolder(directory("file")) }
        #expect(problem?.detail == "‘\(directory("file"))’ exists already, and is not an empty folder.")
    }

    @Test func nothingToExportMakesNoFolder() throws {
        _ = try ExportFolder(directory("new"))
        #expect(try directory.names.isEmpty)
    }

    @Test func indexListsEntriesWithTheirFiles() throws {
        let folder = try ExportFolder(directory("new"))
        var index = ExportIndex(exportedAt: Sample.now)
        try index.add(exported(1, payload: "{\"a\": 1.50}"), in: folder)
        try index.add(exported(2, payload: nil), in: folder)
        index.add(Sample.entry(3, "held"), failed: Problem(.storageFailed, status: 500, title: "", detail: "It cannot be read."))
        #expect(index.entries.map(\.file) == ["\(Sample.id(1)).json", nil, nil])
        #expect(index.entries.map(\.fields) == [["user_id": "28"], ["user_id": "28"], nil])
        #expect(index.entries.map(\.problem) == [nil, nil, "It cannot be read."])
        #expect(try text("new/\(Sample.id(1)).json") == "{\"a\": 1.50}")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory("new")).count == 1)
        #expect(try JSONCoding.decoder.decode(ExportIndex.self, from: JSONCoding.encoded(index)) == index)
        #expect(
            ExportText.done(index, "/x") == """
                2 measurements of Anna Example (28) were exported to the folder ‘/x’. It is not sealed. Delete it when you no longer need it.
                Entry 3f2a91c04b03 was not exported: It cannot be read.
                """)
        #expect(ExportText.done(ExportIndex(exportedAt: Sample.now), "/x").hasPrefix("Nothing was exported: "))
        #expect(
            ExportText.done(Sample.entry(1, subject: Sample.subject()), "a.json")
                == "1 measurement of Anna Example (28) was exported to ‘a.json’. It is not sealed. Delete it when you no longer need it.")
    }

    @Test func onlyProblemsOfOneEntryLetTheExportGoOn() {
        func isAboutOneEntry(_ code: Problem.Code) -> Bool {
            ExportIndex.isAboutOneEntry(Problem(code, status: 500, title: "", detail: ""))
        }
        #expect(isAboutOneEntry(.storageFailed))
        #expect(![Problem.Code.notPermitted, .daemonNotRunning, .timeout, .invalidRequest].contains(where: isAboutOneEntry))
    }

    @Test func terminalGetsNoPayloadByItself() async {
        let console = Console(inputIsTerminal: true, outputIsTerminal: true, errorIsTerminal: true, style: .plain, errorStyle: .plain)
        // Refused before the daemon, which does not run, is asked.
        let socket = ["--socket", "/nowhere/homing.sock"]
        #expect(await Homing.run(["export", "12"] + socket, on: console, environment: [:]).rawValue == 2)
        #expect(await Homing.run(["export", "12", "--json"] + socket, on: console, environment: [:]).rawValue == 2)
        #expect(await Homing.run(["export", "12", "--output", "-"] + socket, on: console, environment: [:]).rawValue == 3)
    }
}
