import ControlAPI
import Files

/// The unit homingd.socket, which starts a stopped service for each connection.
struct SocketActivation: Sendable {
    /// The path of the unit's socket.
    var socket = SocketLocation.system
    var systemctl = "/usr/bin/systemctl"
    /// The exit code of a program; nil if it could not be started or did not end.
    var run: @Sendable (_ program: String, _ arguments: [String]) async -> Int32? = {
        await SystemProgram.run($0, $1, within: .seconds(10))?.code
    }

    /// True if a connection to this socket could start the service. Without a state directory, that makes a new station.
    func startsService(at socket: String) async -> Bool {
        guard socket == self.socket else { return false }
        if await run(systemctl, ["--quiet", "is-active", "homingd.service"]) == 0 { return false }
        let code = await run(systemctl, ["--quiet", "is-active", "homingd.socket"])
        return code.map { $0 == 0 } ?? DurableFile(path: systemctl).exists
    }
}
