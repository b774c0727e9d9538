import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Entries in flight become suspect after a crash, but not after a kill. See CrashesAndKills.
@Suite struct CrashTests {
    @Test(arguments: [(SIGABRT, "held"), (SIGSEGV, "held"), (SIGILL, "held"), (SIGKILL, "delivered")])
    func entryIsHeldAfterThreeCrashesButNotKills(signal: Int32, state: String) async throws {
        let station = try await TestStation()
        let path = "facial_measurements_from_arkit"
        // Swift's backtraces take seconds and ignore a signal that another process sent.
        let environment = ["SWIFT_BACKTRACE": "enable=no"]
        try await station.start(environment)
        try await station.login()
        try await station.submit(user: 5, id: 1)
        try await station.event("delivered")
        for number in 1...3 {
            await station.sandbox.apply(Fault(.neverAnswer, path: path, count: 1))
            if number == 1 { try await station.submit(user: 6, id: 2) }
            try await station.met(.neverAnswer, count: number)
            #expect(try await station.end(signal) != 0)
            try await station.start(environment)
        }
        try await station.submit(user: 7, id: 3)
        try await station.event("delivered") { $0.entry == Samples.id(3).description }
        try await station.event(state) { $0.entry == Samples.id(2).description }
        let arrived = Set(station.sandbox.ledger.entries.compactMap(\.clientMutationID))
        #expect(arrived == Set((state == "held" ? [1, 3] : [1, 2, 3]).map { Samples.id($0).description }))
        let why = try await station.homing("why", Samples.id(2).description)
        #expect(why.text.contains("crash") == (state == "held"), "\(why)")
        try await station.end(SIGTERM)
    }
}
