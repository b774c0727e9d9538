import ArgumentParser
import Foundation
import Glibc

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play a day at a station, with the real daemon and this sandbox as its backend.",
        discussion: "Runs in a temporary directory and removes it. Exits with 0 only if the records of the daemon and the backend agree.")

    @Option(help: "The backend of the demo.")
    var backend = BackendArgument.breathesafe

    @Flag(help: "Play a failure instead of a day: a new key, a backup, a lost disk, and a restore (breathesafe).")
    var recovery = false

    @Option(help: ArgumentHelp("The folder with homingd and homing. Default: the folder of this program.", valueName: "folder"))
    var programs: String?

    @Option(help: ArgumentHelp("The folder with the captures, in arkit/ and PendingMeasurements/ (breathesafe).", valueName: "folder"))
    var data = "Tests/Data"

    @Option(help: ArgumentHelp("The folder with the profiles.", valueName: "folder"))
    var profiles = "config/backends"

    func validate() throws {
        if recovery, backend != .breathesafe { throw ValidationError("--recovery is a story of breathesafe. Omit --backend.") }
    }

    func run() async throws {
        let folder = programs ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let story = try story
        let station = try DemoStation(programs: folder, profiles: profiles, story: story)
        do {
            let isGood = try await story.tell(Day(station))
            await station.close()
            if !isGood { throw ExitCode.failure }
        } catch let error as DemoError {
            StandardOutput.errorLine("\nThe demo failed: \(error.description)\n\(station.lastWords)")
            await station.close()
            throw ExitCode.failure
        }
    }

    private var story: any Story {
        get throws {
            switch backend {
            case .breathesafe where recovery: RecoveryStory(captures: try DemoCaptures(folder: data))
            case .breathesafe: BreatheSafeStory(captures: try DemoCaptures(folder: data))
            case .labloop: LabLoopStory()
            case .aiphoto: AIPhotoStory()
            case .lists: ListsStory()
            case .lists2026: Lists2026Story()
            case .story16: Story16Story()
            }
        }
    }
}

struct DemoError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// With the system's reason, which Foundation's error may hide.
    init(starting program: String, _ error: any Error) {
        let refused: Int32? = access(program, X_OK) == 0 ? nil : errno
        let cause = ((error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? POSIXError) ?? (error as? POSIXError)
        let reason = (refused ?? cause?.code.rawValue).map { String(cString: strerror($0)) }
        self.init("Cannot start \(program): \(reason ?? "this system cannot execute it").")
    }
}
