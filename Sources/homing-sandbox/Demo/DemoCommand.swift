import ArgumentParser
import Foundation

/// `homing-sandbox demo`
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Tell the story of a day at a station, with the real daemon and this sandbox as its backend.",
        discussion: "Runs in a temporary directory, which it removes. Exits with 0 only where the daemon's books and the backend's agree.")

    @Option(help: ArgumentHelp("The folder with homingd and homing. Default: beside this program.", valueName: "folder"))
    var programs: String?

    @Option(help: ArgumentHelp("The folder with arkit/ and PendingMeasurements/ to capture from.", valueName: "folder"))
    var data = "Tests/Data"

    @Option(help: ArgumentHelp("The folder with breathesafe.yaml.", valueName: "folder"))
    var profiles = "config/backends"

    func run() async throws {
        let folder = programs ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let station = try DemoStation(programs: folder, profiles: profiles)
        do {
            let isGood = try await Story(station: station, captures: try DemoCaptures(folder: data)).tell()
            await station.close()
            if !isGood { throw ExitCode.failure }
        } catch let error as DemoError {
            await station.close()
            StandardOutput.errorLine("\nThe demo broke off: \(error.description)\n\(station.log)")
            throw ExitCode.failure
        }
    }
}

/// Why the demo could not go on.
struct DemoError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
