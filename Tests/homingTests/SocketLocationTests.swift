import ControlAPI
import ControlServer
import Foundation
import TestSupport
import Testing

@Suite struct SocketLocationTests {
    enum Own: CaseIterable { case nothing, left, answered }

    @Test(arguments: [
        // The own socket, whether the system socket exists, whether Homing is installed, whether the user is root; the choice.
        (Own.nothing, false, false, false, "own"), (.nothing, false, false, true, "system"), (.nothing, false, true, false, "system"),
        (.nothing, true, false, false, "system"), (.left, false, false, false, "own"), (.left, true, true, false, "system"),
        (.left, false, false, true, "system"), (.answered, false, false, false, "own"), (.answered, true, true, false, "own"),
        (.answered, true, true, true, "own"),
    ])
    func picksRunningDaemonOrDefaultLocation(
        own: Own, system: Bool, isInstalled: Bool, isRoot: Bool, expected: String
    ) throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("run/homing"), withIntermediateDirectories: true)
        let places = ["own": directory("run/homing/homing.sock"), "system": directory("system.sock")]
        let socket = own == .nothing ? nil : try UnixSocket(path: directory("run/homing/homing.sock"), mode: 0o600)
        defer { socket?.close() }
        if own == .left {
            // A killed daemon leaves its socket file behind.
            try FileManager.default.moveItem(atPath: directory("run/homing/homing.sock"), toPath: directory("kept"))
            socket?.close()
            try FileManager.default.moveItem(atPath: directory("kept"), toPath: directory("run/homing/homing.sock"))
        }
        if system { try directory.write("", to: "system.sock") }
        let found = SocketLocation.forClient(
            environment: ["XDG_RUNTIME_DIR": directory("run")], system: directory("system.sock"), isRoot: isRoot, isInstalled: isInstalled)
        #expect(found == places[expected])
    }

    @Test func environmentSocketTakesPrecedence() {
        #expect(SocketLocation.forClient(environment: ["HOMING_SOCKET": "/x.sock", "XDG_RUNTIME_DIR": "/run/user/1"]) == "/x.sock")
        #expect(
            SocketLocation.forClient(
                environment: ["HOMING_SOCKET": "", "HOME": "/home/ann"], system: "/nowhere/h.sock", isRoot: false, isInstalled: false)
                == "/home/ann/.local/state/homing/homing.sock")
    }
}
