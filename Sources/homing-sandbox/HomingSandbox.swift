import ArgumentParser

@main
struct HomingSandbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homing-sandbox",
        abstract: "Stands in for a backend on a loopback port, with faults by script and a ledger of what it accepted.",
        subcommands: [RunCommand.self, FaultsCommand.self, DemoCommand.self],
        defaultSubcommand: RunCommand.self)
}
