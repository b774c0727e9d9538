import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct IntegrationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Integrations"
    private static let page = TestStation.project + "/Sources/SyncDaemon/Documentation.docc/Integrating.md"
    private static let capture = TestStation.project + "/Tests/Data/arkit/capture-01.json"

    @Test(arguments: [("sh", "submit.sh"), ("python3", "submit.py"), ("swift", "SubmitCapture.swift")])
    func integrationPageShowsTheTestedCode(language: String, file: String) throws {
        let page = try String(contentsOfFile: Self.page, encoding: .utf8)
        let code = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
        #expect(
            page.contains("```\(language == "python3" ? "python" : language)\n\(code)```"), "Integrating.md shows other code than \(file)")
    }

    @Test(arguments: [("sh", "submit.sh"), ("python3", "submit.py")])
    func scriptSubmitsOnceAndReportsErrors(interpreter: String, file: String) async throws {
        let station = try await TestStation()
        try await station.start()
        let arguments = ["\(Self.folder)/\(file)", Self.capture, "5", Samples.id(1).description]

        let early = try await run(interpreter, arguments, station)
        #expect(early.code == 1)
        #expect(early.text.contains("Not signed in"), "\(early.text)")

        try await station.login()
        for _ in 0..<2 {
            let taken = try await run(interpreter, arguments, station)
            #expect(taken.code == 0, "\(taken.text)")
        }
        try await station.event("delivered")
        #expect(try await station.entries().map(\.id) == [Samples.id(1).description])
        #expect(station.sandbox.ledger.entries.count == 1)
        let captured = try await station.event("captured")
        #expect(captured?.detail["by"]?.hasPrefix("uid \(geteuid()), pid ") == true)
        try await station.end(SIGTERM)
    }

    @Test(arguments: [("sh", "submit.sh"), ("python3", "submit.py")])
    func scriptChoosesBackendAmongTwo(interpreter: String, file: String) async throws {
        let station = try await TestStation()
        try TestStation.place("lists", in: station.directory, baseURL: station.sandbox.baseURL)
        try station.directory.write(
            "state_directory: state\nsocket: homing.sock\nspool: {backend: breathesafe}\ndelivery: {\(TestStation.shortPauses)}\n",
            to: "homing.yaml")
        try await station.start()
        let signedIn = try await station.homing(
            ["login", "--backend", "breathesafe", "--email", "manager@lab.test", "--password-stdin"], input: "Correct-horse-9")
        #expect(signedIn.code == 0, "\(signedIn.text)")
        let taken = try await run(interpreter, ["\(Self.folder)/\(file)", Self.capture, "5", Samples.id(1).description], station)
        #expect(taken.code == 0, "\(taken.text)")
        #expect(try await station.entries().map(\.backend) == ["breathesafe"])
        try await station.end(SIGTERM)
    }

    @Test func pythonProgramReportsAMissingDaemonInOneLine() async throws {
        let station = try await TestStation()
        let outcome = try await run("python3", ["\(Self.folder)/submit.py", Self.capture, "5", Samples.id(1).description], station)
        #expect(outcome.code == 1 && outcome.text.hasPrefix("No answer from homingd: "), "\(outcome.text)")
        #expect(!outcome.text.contains("Traceback"), "\(outcome.text)")
    }

    /// curl refuses such a URL, and the daemon such an id; neither is a missing daemon.
    @Test(arguments: [("sh", "submit.sh"), ("python3", "submit.py")])
    func scriptDoesNotTakeAMalformedUserForAMissingDaemon(interpreter: String, file: String) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let arguments = ["\(Self.folder)/\(file)", Self.capture, "5 6", Samples.id(1).description]
        let outcome = try await run(interpreter, arguments, station)
        let words = interpreter == "sh" ? "The user ‘5 6’" : #"The user id \"5 6\" is not valid"#
        #expect(outcome.code == 1 && outcome.text.contains(words), "\(outcome.text)")
        #expect(!outcome.text.contains("No answer from homingd") && !outcome.text.contains("Traceback"), "\(outcome.text)")
        #expect(try await station.entries().isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func shellScriptWaitsForTheDaemonToStart() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.end(SIGTERM)
        async let handedIn = run("sh", ["\(Self.folder)/submit.sh", Self.capture, "5", Samples.id(1).description], station)
        try await station.start()
        let outcome = try await handedIn
        #expect(outcome.code == 0, "\(outcome.text)")
        try await station.event("delivered")
        try await station.end(SIGTERM)
    }

    @Test func swiftFunctionSubmitsOnceAndReportsErrors() async throws {
        let station = try await TestStation()
        try await station.start()
        let (socket, id) = (station.directory("homing.sock"), try #require(UUID(uuidString: Samples.id(1).description)))
        let document = try Data(contentsOf: URL(fileURLWithPath: Self.capture))
        let refusal = await #expect(throws: CaptureRefused.self) {
            try await submitCapture(document, user: 5, id: id, socket: socket)
        }
        let problem = try JSONCoding.decoder.decode(Problem.self, from: try #require(refusal).answer)
        #expect(problem.code == .signInRequired)
        try await station.login()
        for _ in 0..<2 { try await submitCapture(document, user: 5, id: id, socket: socket) }
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    /// Answers each submission with another digest.
    private static let daemonOfOtherBytes = """
        import http.server, socketserver, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                receipt = b'{"duplicate":false,"sha256":"00"}'
                self.send_response(201)
                self.send_header("Content-Length", str(len(receipt)))
                self.end_headers()
                self.wfile.write(receipt)
            def log_message(self, *arguments): pass
        with socketserver.UnixStreamServer(sys.argv[1], Handler) as server:
            print("ready", flush=True)
            server.serve_forever()
        """

    @Test func programsKeepACaptureOfWhichOtherBytesWereAccepted() async throws {
        let directory = try TemporaryDirectory()
        let socket = directory("homing.sock")
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        daemon.arguments = ["python3", "-c", Self.daemonOfOtherBytes, socket]
        let output = Pipe()
        daemon.standardOutput = output
        try daemon.run()
        defer { daemon.signal(SIGKILL) }
        #expect(await output.fileHandleForReading.text(until: "ready\n") == "ready\n")
        let id = Samples.id(1).description
        for (interpreter, file) in [("sh", "submit.sh"), ("python3", "submit.py")] {
            let outcome = try await run(interpreter, ["\(Self.folder)/\(file)", Self.capture, "5", id], socket: socket)
            #expect(outcome.code == 1 && outcome.text.contains("Homing accepted other bytes"), "\(file): \(outcome.text)")
        }
        let document = try Data(contentsOf: URL(fileURLWithPath: Self.capture))
        let uuid = try #require(UUID(uuidString: id))
        await #expect(throws: CaptureRefused.self) { try await submitCapture(document, user: 5, id: uuid, socket: socket) }
    }

    private func run(_ interpreter: String, _ arguments: [String], _ station: TestStation) async throws -> (code: Int32, text: String) {
        try await run(interpreter, arguments, socket: station.directory("homing.sock"))
    }

    private func run(_ interpreter: String, _ arguments: [String], socket: String) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [interpreter] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HOMING_SOCKET": socket]) { $1 }
        return try await process.ended()
    }
}
