import Foundation
import Sandbox

/// A day at a station, told as it happens.
struct Story {
    let station: DemoStation
    let captures: DemoCaptures

    /// Tells it all; true where the daemon's books and the backend's agree at the end.
    func tell() async throws -> Bool {
        say("A van with a capture station sets out. The daemon starts; the clinic’s manager signs in while there is still a network.")
        try await station.open()
        try show("login", "--email", "manager@lab.test", "--remember", "--password-stdin", input: BreatheSafeConfiguration.labPassword)

        await station.sandbox.down()
        say(
            "Out in the country there is no network. \(captures.plain.count) faces are measured, and the capture app hands over \(captures.offline.count) files of its own."
        )
        try captures.drop(into: station.spool)
        try await until("the files are taken in") { try DemoBooks(station).rows.count == captures.count }
        try await until("the daemon has noticed the outage") { try station.homing("status", "--json").contains("\"gate\":\"cooling\"") }
        say("Every file is safe in the outbox, and the drop folder is empty again. Has my data gone up?")
        try show("status")

        say(
            "Back in town. The network returns; halfway through, the server ends the session, and later it takes a measurement but its answer is lost."
        )
        try await homecoming()
        say("In the order of their arrival, as the server saw them:")
        arrivals()
        let logIns = station.sandbox.ledger.logInCount
        say(
            "The session ended in the middle: the daemon signed in again by itself (\(logIns) sign-ins in all). The lost answer was looked up, not sent twice."
        )

        say("One capture is left. The manager asks why.")
        let dead = try DemoBooks(station).rows.filter { $0.state == "dead" }
        guard let refused = dead.first, dead.count == 1 else { throw DemoError("expected one refused capture, found \(dead.count)") }
        try show("list", "--state", "dead")
        try show("why", refused.id)
        try show("retry", refused.id)
        try await until("the server has refused it again") { try DemoBooks(station).count("dead") == 1 }
        say("User \(DemoCaptures.notManaged) belongs to another clinic, so the server refuses again. The manager decides that it must go.")
        try show("discard", refused.id, "--yes")

        say("The day is over.")
        try show("status")
        try show("logout", "--yes")

        let comparison = DemoComparison(captured: captures.count, books: try DemoBooks(station), ledger: station.sandbox.ledger)
        say("The daemon’s books beside the backend’s own:")
        quote(comparison.table)
        say(comparison.agrees ? "They agree: nothing lost, nothing twice, all in order." : "THEY DO NOT AGREE.")
        return comparison.agrees
    }

    /// The backend comes back, a little slow, and misbehaves on the way.
    private func homecoming() async throws {
        let ledger = station.sandbox.ledger
        let slow = Fault.slow(milliseconds: 120, path: "facial_measurements_from_arkit")
        await station.sandbox.apply(slow)
        try await station.sandbox.up()
        try station.homing("sync")
        try await until("a third has arrived") { ledger.entries.count >= captures.count / 3 }
        station.sandbox.expireSessions(rememberTokens: true)
        try await until("two thirds have arrived") { ledger.entries.count >= captures.count * 2 / 3 }
        // The first fault that fits a request is the one it meets.
        station.sandbox.clearFaults()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        await station.sandbox.apply(slow)
        try show("sync", "--wait", "--timeout", "60")
    }

    private func arrivals() {
        let lines = station.sandbox.ledger.entries.filter { $0.clientMutationID != nil }.map { entry in
            "\(entry.sequence < 10 ? " " : "")\(entry.sequence). measurement \(entry.remoteID ?? 0) of user \(entry.user ?? 0)"
                + (entry.answered ? "" : "   ← its answer was lost")
        }
        quote(lines.joined(separator: "\n"))
    }

    private func say(_ text: String) { StandardOutput.line("\n\(text)") }

    private func quote(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { StandardOutput.line("    \(line)") }
    }

    private func show(_ arguments: String..., input: String? = nil) throws {
        StandardOutput.line("\n    $ homing \(arguments.map { $0.count == 36 ? "…\($0.suffix(8))" : $0 }.joined(separator: " "))")
        quote(try station.homing(arguments, input: input))
    }

    /// Waits for something that is on its way, half a minute at most.
    private func until(_ what: String, _ isSo: () throws -> Bool) async throws {
        for _ in 0..<300 {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw DemoError("waited in vain until \(what)")
    }
}
