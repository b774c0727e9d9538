import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct PasswordSourceTests {
    private func withFile(_ content: Data, mode: Int = 0o600, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("homing-\(UUID().uuidString)").path
        #expect(FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: mode]))
        defer { unlink(path) }
        try body(path)
    }

    private func read(_ source: PasswordSource) throws -> (password: String, warnings: [String]) {
        var warnings: [String] = []
        let password = try source.secret("password", terminal: nil, input: .nullDevice) { warnings.append($0) }
        return (password, warnings)
    }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("two words \n", "two words "), ("a\n\n", "a\n"),
    ])
    func removesOneTrailingNewline(content: String, expected: String) throws {
        try withFile(Data(content.utf8)) { path in
            let (password, warnings) = try read(.file(path))
            #expect(password == expected && warnings.isEmpty)
        }
    }

    @Test func standardInputIsReadToItsEnd() throws {
        try withFile(Data("secret\n".utf8)) { path in
            let input = try #require(FileHandle(forReadingAtPath: path))
            #expect(try PasswordSource.standardInput.secret("password", terminal: nil, input: input) { _ in } == "secret")
        }
    }

    @Test func refusesALargeFileWithoutReadingItAll() {
        let problem = #expect(throws: Problem.self) { try read(.file("/dev/zero")) }
        #expect(problem?.code == .tooLarge && problem?.detail == "‘/dev/zero’ is larger than 32 KiB, so it is no password or token.")
    }

    @Test(arguments: [0o640, 0o604, 0o644])
    func warnsOfFileReadableByOthers(mode: Int) throws {
        try withFile(Data("secret".utf8), mode: mode) { path in
            let (password, warnings) = try read(.file(path))
            #expect(password == "secret")
            #expect(warnings == ["Other users of this machine may be able to read ‘\(path)’. To prevent this, run: chmod 600 \(path)"])
        }
    }

    @Test(arguments: [Data(), Data("\n".utf8), Data([0xff, 0xfe])])
    func refusesEmptyOrUndecodablePassword(content: Data) throws {
        try withFile(content) { path in
            #expect(throws: Problem.self) { _ = try read(.file(path)) }
        }
    }

    @Test func refusesMissingFileAndFolder() {
        #expect(throws: Problem.self) { try read(.file("/nowhere/pw")) }
        var warnings: [String] = []
        let folder = #expect(throws: Problem.self) {
            _ = try PasswordSource.file("/tmp").secret("password", terminal: nil, input: .nullDevice) { warnings.append($0) }
        }
        #expect(folder?.detail == "‘/tmp’ is a folder." && warnings.isEmpty)
    }

    @Test func missingTerminalErrorNamesOptions() {
        let expected = Problem.invalid(
            "There is no terminal to ask for the password.", next: "Give it with --password-stdin or --password-file FILE.")
        #expect(throws: expected) { try read(.terminal) }
        #expect(throws: Problem.self) { try TerminalPrompt?.none.askForEmail() }
    }
}
