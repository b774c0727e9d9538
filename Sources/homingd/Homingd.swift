import ArgumentParser
import SyncDaemon

@main
struct Homingd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homingd", abstract: "Brings home what this station captured.", version: Daemon.version,
        subcommands: [RunCommand.self, CheckCommand.self], defaultSubcommand: RunCommand.self)
}

/// Options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(
        help: "The configuration file. Default: /etc/homing/homing.yaml for root, else ~/.config/homing/homing.yaml.",
        completion: .file(extensions: ["yaml"]))
    var config: String?
}
