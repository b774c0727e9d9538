import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A fault of the daemon's own casts suspicion on what was on its way; a kill does not.
@Suite(.timeLimit(.minutes(60))) struct CrashTests {
    @Test(arguments: [(SIGABRT, "held"), (SIGSEGV, "held"), (SIGILL, "held"), (SIGKILL, "delivered")])
    func whatWasOnItsWayInThreeCrashesIsHeldAndTheRestGoesOn(signal: Int32, state: String) async throws {
        let station = try await TestStation()
        let path = "facial_measurements_from_arkit"
        // Its backtraces take seconds, and let a signal that was sent from outside pass.
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
        while try await station.entry(2).state != state { await pauseBriefly() }
        let arrived = Set(station.sandbox.ledger.entries.compactMap(\.clientMutationID))
        #expect(arrived == Set((state == "held" ? [1, 3] : [1, 2, 3]).map { Samples.id($0).description }))
        let why = try await station.homing("why", Samples.id(2).description)
        #expect(why.text.contains("crash") == (state == "held"), "\(why)")
        try await station.end(SIGTERM)
    }
}
