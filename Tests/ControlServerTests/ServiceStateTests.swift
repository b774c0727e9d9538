import Testing

@testable import ControlAPI

@Suite struct ServiceStateTests {
    private static func state(_ active: String, _ sub: String, _ result: String, _ restarts: Int) throws -> ServiceState {
        try #require(ServiceState("Result=\(result)\nNRestarts=\(restarts)\nActiveState=\(active)\nSubState=\(sub)\n"))
    }

    @Test(arguments: [("active", "running"), ("activating", "start"), ("reloading", "reload"), ("deactivating", "stop-sigterm")])
    func waitsForAServiceThatRunsOrStarts(active: String, sub: String) throws {
        #expect(try Self.state(active, sub, "success", 3).problem == nil)
    }

    @Test(arguments: [
        (
            "activating", "auto-restart", "exit-code", 7, "keeps exiting (exit-code); systemd has restarted it 7 times",
            "journalctl -u homingd"
        ),
        ("failed", "failed", "oom-kill", 0, "has failed (oom-kill)", "sudo systemctl start homingd"),
        ("inactive", "dead", "success", 0, "is stopped.", "sudo systemctl start homingd"),
    ])
    func reportsCauseAndNextCommandOfStoppedService(
        active: String, sub: String, result: String, restarts: Int, detail: String, command: String
    ) throws {
        let problem = try #require(try Self.state(active, sub, result, restarts).problem)
        #expect(problem.code == .daemonNotRunning)
        #expect(problem.detail.contains(detail), "\(problem.detail)")
        #expect(problem.next?.contains(command) == true, "\(problem)")
    }

    @Test(arguments: [("enabled", "systemctl start"), ("enabled-runtime", "systemctl start"), ("disabled", "systemctl enable --now")])
    func disabledServiceIsEnabledToo(unit: String, command: String) throws {
        let state = try #require(ServiceState("ActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0\nUnitFileState=\(unit)"))
        #expect(state.problem?.next == "To start it, run: sudo \(command) homingd")
    }

    @Test(arguments: ["", "ActiveState=failed\nSubState=failed\nResult=x", "ActiveState=a\nSubState=b\nResult=c\nNRestarts=d"])
    func isNilIfALineIsMissing(text: String) { #expect(ServiceState(text) == nil) }
}
