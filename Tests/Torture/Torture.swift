import ArgumentParser

@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homing-torture", abstract: "Attack every guarantee, with the real programs and the real store.",
        subcommands: [
            RunCommand.self, SimulateCommand.self, PowerCutCommand.self, KillCommand.self, SyscallCommand.self, InternetCommand.self,
            DoorCommand.self,
        ])
}
