import ControlAPI
import Foundation
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ControlChannelTests {
    /// Only root can start a program as another user.
    @Test(.enabled(if: geteuid() == 0)) func otherUsersNeedMembershipInTheConfiguredGroup() async throws {
        let station = try await TestStation()
        try configure(station, "access: {observe: 61001, operate: 61002}")
        try await station.start()
        chmod(station.directory.path, 0o755)
        chmod(station.directory("homing.sock"), 0o666)

        let refused = try await asNobody(station, groups: "61009", "GET", "status")
        #expect(refused.contains("This requires membership in the group 61001. You are nobody (uid 65534), and not a member."))
        #expect(refused.contains("run: sudo adduser nobody 61001"))
        let denied = try await station.event("denied")
        #expect(denied?.detail["call"] == "GET /v1/status")
        #expect(denied?.detail["by"]?.hasPrefix("uid 65534, pid ") == true)

        #expect(try await asNobody(station, groups: "61001", "GET", "status").contains(#""sentence":"#))
        #expect(try await asNobody(station, groups: "61001", "POST", "sync").contains("the group 61002"))
        #expect(try await asNobody(station, groups: "61002", "POST", "sync").contains(#""waiting":0"#))
        let synced = try await station.event("synced")
        #expect(synced?.detail["by"]?.hasPrefix("uid 65534, pid ") == true)
        try await station.end(SIGTERM)
    }

    @Test func eventsCommandReportsPrunedEventsAndShowsTheRest() async throws {
        let station = try await TestStation()
        try configure(station, "outbox: {keep_delivered: 0.001}")
        for _ in 0..<3 {
            try await station.start()
            try await station.login()
            _ = try await station.homing("logout", "--yes")
            try await station.end(SIGTERM)
        }
        try await station.start()
        // Pruning begins some time after the start.
        try await until { try await isPruned(station) }
        let gone = try await station.homing("events", "--since", "0")
        #expect(gone.code != 0)
        #expect(gone.text.contains("are no longer kept, so some of those after 0 are missing."))
        #expect(gone.text.contains("continue from the cursor "))
        let rest = try await station.homing("events")
        #expect(rest.code == 0, "\(rest.text)")
        #expect(rest.text.contains("started"), "\(rest.text)")
        let future = try await station.homing("events", "--since", "999999")
        #expect(future.code == 2)
        #expect(future.text.contains("is in the future"))
        try await station.end(SIGTERM)
    }

    private func isPruned(_ station: TestStation) async throws -> Bool {
        do {
            try await station.client.events(EventQuery(since: 0)) { _ in false }
            return false
        } catch let problem as Problem where problem.code == .eventsPruned {
            return true
        }
    }

    private func configure(_ station: TestStation, _ more: String) throws {
        let file = station.directory("homing.yaml")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try (text + more + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func asNobody(_ station: TestStation, groups: String, _ method: String, _ call: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid=65534", "--regid=65534", "--groups=\(groups)", "curl", "--silent", "--request", method, "--unix-socket",
            station.directory("homing.sock"), "http://homing/v1/\(call)",
        ]
        return try await process.ended(errors: false).text
    }
}
