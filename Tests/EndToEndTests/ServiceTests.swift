import ControlAPI
import ControlServer
import Foundation
import Glibc
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct ServiceTests {
    @Test func notifiesReadinessAndStatusChanges() async throws {
        let station = try await TestStation()
        let manager = try DatagramReceiver(at: station.directory("notify"))
        try await station.start(["NOTIFY_SOCKET": station.directory("notify")])
        #expect(try await manager.line { $0 == "READY=1" } != nil)
        #expect(try await manager.line { $0 == "STATUS=Not signed in. Nothing is waiting." } != nil)
        #expect(try await station.homing("status").code == 0)

        try await station.login()
        #expect(try await manager.line { $0 == "STATUS=Ready: nothing has been captured yet." } != nil)
        try await station.submit(id: 1)
        #expect(try await manager.line { $0 == "STATUS=Everything has been delivered: 1 capture. Nothing is waiting." } != nil)
        #expect(try await station.end(SIGTERM) == 0)
        let lines = manager.lines
        #expect(lines.count { $0 == "READY=1" } == 1)
        #expect(lines.contains("STOPPING=1"))
        #expect(!lines.contains("WATCHDOG=1"), "nobody asked for signs of life")
    }

    @Test func becomesReadyWhileOffline() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        try await station.submit(id: 1)
        try await station.end(SIGTERM)
        let manager = try DatagramReceiver(at: station.directory("notify"))
        try await station.start(["NOTIFY_SOCKET": station.directory("notify")])
        #expect(try await manager.line { $0 == "READY=1" } != nil)
        #expect(try await manager.line { $0.hasPrefix("STATUS=1 capture is safe here and waits for the network: ") } != nil)
        try await station.end(SIGTERM)
    }

    @Test func fileDroppedWhileSignedOutChangesStatus() async throws {
        let station = try await TestStation()
        let manager = try DatagramReceiver(at: station.directory("notify"))
        try await station.start(["NOTIFY_SOCKET": station.directory("notify")])
        try station.directory.write(String(decoding: TestStation.measurement(1), as: UTF8.self), to: "1.json")
        let folder = station.directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: station.directory("1.json"), toPath: folder + "/1.json")
        #expect(try await manager.line { $0 == "STATUS=1 capture is safe here and cannot be sent until an account signs in." } != nil)
        try await station.end(SIGTERM)
    }

    @Test func sendsWatchdogPings() async throws {
        let station = try await TestStation()
        let manager = try DatagramReceiver(at: station.directory("notify"))
        try await station.start(["NOTIFY_SOCKET": station.directory("notify"), "WATCHDOG_USEC": "200000"])
        #expect(try await manager.line(count: 3) { $0 == "WATCHDOG=1" } != nil)
        try await station.end(SIGTERM)
    }

    @Test func passedSocketIsServedAndKept() async throws {
        let station = try await TestStation()
        let socket = try UnixSocket(path: station.directory("passed.sock"), mode: 0o600)
        defer { socket.close() }
        let client = ControlClient(socketPath: socket.path, timeout: .seconds(600))
        for _ in 1...2 {
            // The call waits, because the daemon has not started yet.
            async let early = client.call(Endpoints.status, NoInput())
            let daemon = try PassingLauncher(
                TestStation.programs + "/homingd", ["run", "--config", station.directory("homing.yaml")], passing: socket.descriptor)
            #expect(try await early.version == HomingVersion.current)
            #expect(!FileManager.default.fileExists(atPath: station.directory("homing.sock")), "the configured one was made too")
            kill(daemon.pid, SIGTERM)
            let (code, said) = await daemon.end()
            #expect(code == 0, "\(said)")
            #expect(FileManager.default.fileExists(atPath: socket.path))
        }
    }

    @Test func passedNonSocketIsRefused() async throws {
        let station = try await TestStation()
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let daemon = try PassingLauncher(
            TestStation.programs + "/homingd", ["run", "--config", station.directory("homing.yaml")], passing: null)
        let (code, said) = await daemon.end()
        #expect(code == 1)
        #expect(said.contains("Descriptor 3 from the service manager is not a listening Unix stream socket"), "\(said)")
    }
}
