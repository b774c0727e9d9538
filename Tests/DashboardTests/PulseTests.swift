import Testing

@testable import Dashboard

struct PulseTests {
    @Test func twoSilentPausesAreALoss() throws {
        let pulse = Pulse()
        try pulse.check()
        try pulse.check()
        #expect(throws: Pulse.Lost.self) { try pulse.check() }
    }

    @Test func oneHeartbeatInTwoPausesIsEnough() throws {
        let pulse = Pulse()
        for _ in 1...20 {
            pulse.beat()
            try pulse.check()
            try pulse.check()
        }
    }
}
