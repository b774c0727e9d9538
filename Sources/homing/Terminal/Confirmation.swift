import ArgumentParser
import ControlAPI

struct Confirmation {
    let console: Console
    /// True if `--yes` was given.
    let skipped: Bool

    /// True if the question must be asked; throws without a terminal.
    var isNeeded: Bool {
        get throws(Problem) {
            if skipped { return false }
            if console.inputIsTerminal { return true }
            throw .invalid("This command needs confirmation, and there is no terminal to ask.", next: "To confirm, add --yes.")
        }
    }

    /// Asks; throws unless `accepted` is true for the answer.
    func ask(_ explanation: String, _ question: String, _ accepted: (String) -> Bool) throws(ExitCode) {
        console.warn(explanation)
        guard let answer = console.ask(question), accepted(answer) else {
            console.warn("Nothing was done.")
            throw .failure
        }
    }
}
