import ControlAPI
import Foundation
import TestSupport
import Testing

@Suite struct SocketLocationTests {
    @Test(arguments: [
        // Own, the system's, root: whose is asked.
        (false, false, false, "own"), (false, false, true, "system"), (true, true, false, "own"), (true, false, true, "own"),
        (false, true, false, "system"), (false, true, true, "system"),
    ])
    func aClientAsksTheDaemonThatIsThereOrElseTheOneThatTheUserWouldStart(own: Bool, system: Bool, isRoot: Bool, expected: String) throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("run/homing"), withIntermediateDirectories: true)
        let places = ["own": directory("run/homing/homing.sock"), "system": directory("system.sock")]
        if own { try directory.write("", to: "run/homing/homing.sock") }
        if system { try directory.write("", to: "system.sock") }
        let found = SocketLocation.forClient(
            environment: ["XDG_RUNTIME_DIR": directory("run")], system: directory("system.sock"), isRoot: isRoot)
        #expect(found == places[expected])
    }

    @Test func aNamedSocketGoesFirst() {
        #expect(SocketLocation.forClient(environment: ["HOMING_SOCKET": "/x.sock", "XDG_RUNTIME_DIR": "/run/user/1"]) == "/x.sock")
        #expect(
            SocketLocation.forClient(environment: ["HOMING_SOCKET": "", "HOME": "/home/ann"], system: "/nowhere/h.sock", isRoot: false)
                == "/home/ann/.local/state/homing/homing.sock")
    }
}
