import Foundation
import Glibc
import Sandbox

/// A station in a temporary directory: the real daemon and command line, with a sandbox as the backend.
final class DemoStation {
    let sandbox: Sandbox
    let directory: String
    private let programs: String
    private let log: FileHandle
    private var daemon = Process()

    init(programs: String, profiles: String, story: any Story) throws {
        self.programs = programs
        directory = "/tmp/homing-demo-\(ProcessInfo.processInfo.processIdentifier)"
        sandbox = try Sandbox(SandboxConfiguration { $0.backend = story.backend })
        let files = FileManager.default
        try files.createDirectory(
            atPath: directory + "/backends", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Self.place(story.profile, of: profiles, in: directory + "/backends", address: sandbox.baseURL)
        // Short pauses keep the demo to about a minute.
        try """
        state_directory: state
        socket: homing.sock
        spool: {enabled: \(story.route == "measurement")}
        delivery: {first_delay: 1, lookup_after: 1, first_pause: 1, longest_pause: 4}
        """.write(toFile: directory + "/homing.yaml", atomically: true, encoding: .utf8)
        guard files.createFile(atPath: directory + "/homingd.log", contents: nil),
            let log = FileHandle(forWritingAtPath: directory + "/homingd.log")
        else { throw DemoError("Cannot write to \(directory).") }
        self.log = log
    }

    /// Copies a profile and those that it extends, with other addresses.
    private static func place(_ name: String, of profiles: String, in folder: String, address: String) throws {
        guard let shipped = try? String(contentsOfFile: "\(profiles)/\(name).yaml", encoding: .utf8) else {  // `try?`: named by the error
            throw DemoError("\(profiles)/\(name).yaml does not exist. Run the demo in the project's folder, or set --profiles.")
        }
        let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let words = line.split(separator: " ")
            guard words.count == 2, ["base_url:", "idp:", "sts:"].contains(words[0]) else { return String(line) }
            return "\(line.prefix { $0 == " " })\(words[0]) \(address)\(URL(string: String(words[1]))?.path ?? "")"
        }
        try lines.joined(separator: "\n").write(toFile: "\(folder)/\(name).yaml", atomically: true, encoding: .utf8)
        for line in lines where line.hasPrefix("extends: ") {
            try place(String(line.dropFirst("extends: ".count)), of: profiles, in: folder, address: address)
        }
    }

    var spool: String { directory + "/state/spool" }

    /// The final status and the end of the daemon's log.
    var lastWords: String {
        let log = (try? String(contentsOfFile: directory + "/homingd.log", encoding: .utf8)) ?? ""  // `try?`: without a log, prints none
        let state = try? [homing("status"), homing("list")].joined(separator: "\n")  // `try?`: the story has failed already
        return [state, log.split(separator: "\n").suffix(8).joined(separator: "\n")].compactMap(\.self).joined(separator: "\n")
    }

    /// Starts the sandbox and the daemon; returns after the daemon answers.
    func open() async throws {
        try await sandbox.start()
        try await start()
    }

    /// Starts the daemon; returns after it answers.
    func start() async throws {
        daemon = process("homingd", ["run", "--config", configuration])
        daemon.standardError = log
        daemon.standardOutput = log
        do { try daemon.run() } catch { throw DemoError(starting: "\(programs)/homingd", error) }
        for _ in 0..<200 {
            if !daemon.isRunning { throw DemoError("The daemon exited at once.") }
            if try homing("version", "--json").contains("\"homingd\":\"") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DemoError("The daemon does not answer.")
    }

    /// Kills the daemon and leaves an empty state directory, as on a new disk.
    func loseDisk() throws {
        kill(daemon.processIdentifier, SIGKILL)
        daemon.waitUntilExit()
        let state = directory + "/state"
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    /// Runs `homing` in the station's directory; ignores the exit code.
    @discardableResult
    func homing(_ arguments: String..., input: String? = nil) throws -> String { try homing(arguments, input: input) }

    @discardableResult
    func homing(_ arguments: [String], input: String? = nil) throws -> String {
        try output(of: process("homing", arguments + ["--socket", directory + "/homing.sock"]), input: input)
    }

    /// Runs `homingd` in the station's directory; ignores the exit code.
    func homingd(_ arguments: [String]) throws -> String { try output(of: process("homingd", arguments + ["--config", configuration])) }

    private var configuration: String { directory + "/homing.yaml" }

    private func process(_ program: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(programs)/\(program)")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        return process
    }

    private func output(of process: Process, input: String? = nil) throws -> String {
        let (output, standardInput) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = output
        process.standardInput = standardInput
        do { try process.run() } catch { throw DemoError(starting: process.executableURL?.path ?? "", error) }
        if let input { standardInput.fileHandleForWriting.write(Data(input.utf8)) }
        try standardInput.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .newlines)
    }

    func close() async {
        if daemon.isRunning {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        await sandbox.stop()
        try? FileManager.default.removeItem(atPath: directory)  // `try?`: the system cleans up /tmp
    }
}
