import ArgumentParser
import SyncDaemon

struct ReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Print every key of the configuration, as Markdown.",
        discussion: "The tables have the type, the default, the unit, an example and the meaning of each key of homing.yaml.")

    func run() { print(ConfigurationReference.text, terminator: "") }
}
