import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct SeveralBackendsTests {
    private func station() async throws -> (TestStation, other: Sandbox) {
        let station = try await TestStation()
        let other = try Sandbox(SandboxConfiguration { $0.backend = .lists2026(Lists2026Configuration { $0.limits = .none }) })
        try await other.start()
        try TestStation.place("lists-2026", in: station.directory, baseURL: other.baseURL)
        let file = station.directory("homing.yaml")
        let text = try String(contentsOfFile: file, encoding: .utf8) + "spool: {backend: breathesafe}\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try await station.start()
        return (station, other)
    }

    private func login(_ station: TestStation, _ backend: String) async throws {
        let result = try await station.homing(
            "login", "--backend", backend, "--email", "manager@lab.test", "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        #expect(result.code == 0, "\(result.text)")
    }

    private func createList(_ station: TestStation, _ number: Int) async throws {
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                backend: "lists-2026", route: "create_list", id: Samples.id(100 + number).description, fields: ["name": "list \(number)"]))
    }

    @Test func logoutMessageNamesTheBackend() async throws {
        let (station, other) = try await station()
        try await login(station, "lists-2026")
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        try await createList(station, 1)
        let out = try await station.homing("logout", "--backend", "lists-2026", "--yes")
        #expect(out.text.contains("is waiting. To send it, run: homing login --backend lists-2026\n"), "\(out.text)")
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test func logoutRequiresABackend() async throws {
        let (station, other) = try await station()
        let out = try await station.homing("logout")
        #expect(out.code == 2)
        #expect(out.text.contains("breathesafe and lists-2026") && !out.text.contains("--yes"), "\(out.text)")
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test func hangingBackendDoesNotAffectTheOther() async throws {
        let (station, other) = try await station()
        try await login(station, "breathesafe")
        try await login(station, "lists-2026")
        await other.apply(Fault(.neverAnswer))
        for number in 1...5 { try await createList(station, number) }
        for number in 1...20 { try await station.submit(user: 5 + number % 2, id: number) }
        try await station.event("delivered", count: 20)
        #expect(station.sandbox.ledger.entries.count == 20)
        #expect(other.ledger.entries.isEmpty)
        let reports = try await station.status().backends
        #expect(reports.map(\.name) == ["breathesafe", "lists-2026"])
        #expect(reports.map(\.queue.waiting) == [0, 5])
        #expect(reports[0].gate == "open")
        #expect(try await station.homing("status", "--backend", "breathesafe").text.contains("20 delivered"))
        other.clearFaults()
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test func signedOutBackendDoesNotAffectTheOther() async throws {
        let (station, other) = try await station()
        try await login(station, "breathesafe")
        try await station.submit(id: 1)
        try await station.event("delivered")
        let drop = station.directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: drop, withIntermediateDirectories: true)
        try await login(station, "lists-2026")
        #expect(try await station.homing("logout", "--yes", "--backend", "breathesafe").code == 0)
        try TestStation.measurement(2).write(to: URL(fileURLWithPath: drop + "/a.json"))
        try await until { try await !station.status().attention.isEmpty }
        let status = try await station.homing("status")
        #expect(status.code == 5, "\(status.text)")
        #expect(status.text.contains("homing login --backend breathesafe"), "\(status.text)")
        #expect(!status.text.contains("Not signed in at lists-2026"))
        #expect(try await station.homing("check", "--backend", "lists-2026").code == 0)
        #expect(try await station.homing("check", "--backend", "breathesafe").code == 1)
        #expect(try await station.homing("sync", "--wait", "--timeout", "600").code == 5)
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test func commandsReportOnlyTheChosenBackend() async throws {
        let (station, other) = try await station()
        try await login(station, "breathesafe")
        try await login(station, "lists-2026")
        try await station.submit(id: 1)
        try await station.event("delivered")
        await other.down()
        try await createList(station, 1)
        let id = Samples.id(101).description
        try await station.event("released") { $0.entry == id }
        #expect(try await station.homing("logout", "--yes", "--backend", "lists-2026").code == 0)

        let status = try await station.homing("status")
        #expect(
            status.text.hasPrefix("1 create list is safe here and cannot be sent until manager@lab.test signs in at lists-2026."),
            "\(status.text)")
        let check = try await station.homing("check", "--backend", "breathesafe")
        #expect(
            check.code == 0
                && check.text.hasPrefix("HOMING OK - Everything has been delivered. | waiting=0;"),
            "\(check.text)")
        #expect(try await station.homing("status", "--backend", "breathesafe").text.hasPrefix("Everything has been delivered"))
        let sync = try await station.homing("sync", "--backend", "lists-2026")
        #expect(
            sync.text.contains(
                "Not signed in at lists-2026. 1 create list is waiting. To sign in as manager@lab.test, run: homing login --backend lists-2026"
            ),
            "\(sync.text)")

        for command in ["why", "show", "discard", "retry"] {
            let refused = try await station.homing([command, id, "--backend", "breathesafe"] + (command == "discard" ? ["--yes"] : []))
            #expect(refused.code == 2 && refused.text.contains("belongs to lists-2026, not to ‘breathesafe’"), "\(refused.text)")
        }
        #expect(try await station.homing("why", id, "--backend", "lists-2026").code == 0)
        let receipt = try await station.homing("receipt", Samples.id(1).description, "--backend", "lists-2026")
        #expect(receipt.code == 2 && receipt.text.contains("belongs to breathesafe, not to ‘lists-2026’"), "\(receipt.text)")
        let events = try await station.homing("events", "--since", "0", "--backend", "breathesafe")
        #expect(
            events.text.contains("delivered") && events.text.contains("started") && !events.text.contains("lists-2026"), "\(events.text)")
        #expect(try await station.homing("events", "--backend", "nosuch").code != 0)
        let watch = try await station.homing("watch", "--once", "--backend", "breathesafe")
        #expect(watch.text.hasPrefix("Everything has been delivered") && !watch.text.contains("lists-2026"), "\(watch.text)")
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test func ambiguousOrUnknownBackendIsRefused() async throws {
        let (station, other) = try await station()
        for arguments in [["login"], ["login", "--backend", "nosuch"], ["logout", "--yes"], ["list", "--backend", "nosuch"]] {
            let refused = try await station.homing(arguments)
            #expect(refused.code != 0, "\(arguments)")
            #expect(refused.text.contains("breathesafe") && refused.text.contains("lists-2026"), "\(arguments): \(refused.text)")
            #expect(!refused.text.contains("Email"))
        }
        try await station.end(SIGTERM)
        await other.stop()
    }
}
