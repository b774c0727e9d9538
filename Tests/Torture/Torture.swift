import ArgumentParser

/// Tries to break what Homing guarantees, for as long as it is told, and says what it tried and what it saw.
@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homing-torture", abstract: "Try to break every guarantee, with the real programs and the real store.",
        subcommands: [
            RunCommand.self, SimulateCommand.self, PowerCutCommand.self, KillCommand.self, SyscallCommand.self, InternetCommand.self,
            DoorCommand.self,
        ])
}
