import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script for a shell.",
        discussion: """
            ‘make install’ installs the script. By hand, for bash: homing completions bash > \
            ~/.local/share/bash-completion/completions/homing. homingd and homing-sandbox print theirs with \
            --generate-completion-script.
            """)

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    func run() { print(CompletionScript.text(for: shell)) }

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completion: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }
}
