import Foundation
import Sandbox

/// A station gets a new key and is backed up; its disk fails in the middle of the deliveries, and a new disk delivers the rest.
struct RecoveryStory: Story {
    let captures: DemoCaptures
    let backend = SandboxBackend.breatheSafe(BreatheSafeConfiguration { $0.managedUsers = (5...8).map { .init(user: $0) } })
    let profile = "breathesafe"
    let route = "measurement"

    private static let path = "facial_measurements_from_arkit"
    private static let backup = "station.backup"
    private static let key = "key.copy"

    func tell(_ day: Day) async throws -> Bool {
        day.say("A manager signs in at a station. Then the network is lost, and \(captures.dropped) captures wait.")
        try await day.station.open()
        try day.signIn("--remember")
        await day.sandbox.down()
        try captures.drop(into: day.station.spool)
        try await day.until("the dropped files are accepted") { try day.books.rows.count == captures.dropped }

        day.say("The administrator changes the key of the station. The daemon continues to accept captures, and seals all data again.")
        try day.administer("key", "rotate")
        try await day.until("all data is sealed with the new key") {
            try day.station.homingd(["key", "show"]).contains("All data is sealed with this data key.")
        }
        try day.administer("key", "show")
        day.say("She keeps a copy of the new key in a safe, and a backup elsewhere. On a real station, --to RECIPIENT encrypts the copy.")
        try day.administer("key", "export", Self.key, "--unencrypted")
        try day.show("backup", Self.backup)

        day.say("The network returns. In the middle of the deliveries the power fails, and the disk is lost with all that is on it.")
        try await day.homecoming(slowing: Self.path)
        try await day.until("half of the captures have arrived") { day.ledger.entries.count >= captures.dropped / 2 }
        try day.station.loseDisk()
        let arrived = day.ledger.entries.count
        day.quote("The server has \(arrived) of \(captures.dropped) captures, and the backup says that all of them wait.")

        day.say("The station gets a new disk, the copy of the key, and the backup.")
        try day.administer("key", "import", Self.key)
        try day.administer("restore", Self.backup)
        try await day.station.start()
        day.say("Sending is paused after a restore, so that a person can look first.")
        try day.show("status")
        day.say("Homing asks the server for each capture before it sends it.")
        try day.show("resume")
        try day.show("sync", "--wait", "--timeout", "60")

        let entries = day.ledger.entries
        let found = try day.station.homing("receipts", "--limit", "500", "--json").matches(of: /"foundByLookup" ?: ?true/).count
        try day.expect("each capture that had arrived was found", found >= arrived)
        day.say("It found \(found) captures at the server, and sent the other \(captures.dropped - found).")
        return day.compare(
            DemoComparison(handedIn: (captures.dropped, "captures"), books: try day.books, arrivals: entries.map(\.clientMutationID)))
    }
}
