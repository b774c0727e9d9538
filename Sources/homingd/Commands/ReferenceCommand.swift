import ArgumentParser
import Backends
import SyncDaemon

struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Print every key of the configuration or of profiles, as Markdown.",
        discussion: """
            The tables have the type, the default, the unit, an example and the meaning of each key of homing.yaml, or with --profile of \
            each key of a backend’s profile.
            """)

    @Flag(help: "Print the keys of a backend’s profile.") var profile = false

    func run() { print(profile ? ProfileReference.text : ConfigurationReference.text, terminator: "") }
}
