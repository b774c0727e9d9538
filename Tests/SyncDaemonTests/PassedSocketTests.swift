import Foundation
import Testing

@testable import SyncDaemon

@Suite struct PassedSocketTests {
    @Test(
        arguments: [
            ([:], nil),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"], 3),
            (["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "a::control"], 5),
            (["LISTEN_PID": "8", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"], nil),
            (["LISTEN_PID": "7", "LISTEN_FDS": "0", "LISTEN_FDNAMES": "control"], nil),
            (["LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"], nil),
        ] as [([String: String], Int32?)])
    func picksSocketNamedControl(environment: [String: String], descriptor: Int32?) throws {
        #expect(try PassedSocket.descriptor(environment: environment, pid: 7) == descriptor)
    }

    @Test(arguments: ["", "homingd.socket", "other:another"]) func missingControlNameErrorGivesNextStep(names: String) {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": names]
        let error = #expect(throws: StartError.self) { try PassedSocket.descriptor(environment: environment, pid: 7) }
        #expect(error?.description.contains("FileDescriptorName=control") == true)
    }
}
