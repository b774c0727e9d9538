import ControlAPI
import Testing

@testable import SyncDaemon

@Suite struct SocketActivationTests {
    /// Exit codes of `systemctl is-active`; nil without an answer.
    @Test(arguments: [(0, 0, false), (3, 0, true), (3, 3, false), (nil, 0, true), (nil, 3, false)] as [(Int32?, Int32?, Bool)])
    func onlyTheListeningSocketOfAStoppedServiceStartsIt(service: Int32?, socket: Int32?, starts: Bool) async {
        let activation = SocketActivation { _, arguments in arguments.last == "homingd.socket" ? socket : service }
        #expect(await activation.startsService(at: SocketLocation.system) == starts)
    }

    /// Without an answer, a station with systemd may have the socket.
    @Test(arguments: [("/bin/sh", true), ("/no/such/systemctl", false)])
    func silentSystemctlCountsIfItExists(systemctl: String, starts: Bool) async {
        let activation = SocketActivation(systemctl: systemctl) { _, _ in nil }
        #expect(await activation.startsService(at: SocketLocation.system) == starts)
    }

    @Test func anotherSocketStartsNoService() async {
        let activation = SocketActivation { _, arguments in
            Issue.record("ran systemctl \(arguments)")
            return 0
        }
        #expect(await !activation.startsService(at: "/run/user/1000/homing/homing.sock"))
    }
}
