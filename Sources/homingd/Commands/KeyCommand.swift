import ArgumentParser

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Show, change, export or import the key of the station.",
        discussion: """
            The master key, homing.key in the state directory or a credential of the service, opens the keyring of the station. The \
            keyring has the data key, which seals all data. A backup opens with the master key that the station had when it was made.
            """,
        subcommands: [KeyShowCommand.self, KeyRotateCommand.self, KeyExportCommand.self, KeyImportCommand.self])
}
