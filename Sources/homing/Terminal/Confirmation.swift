import ArgumentParser
import ControlAPI

/// The last question before something is done that a person should mean.
struct Confirmation {
    let console: Console
    /// `--yes` was given.
    let skipped: Bool

    /// Whether to ask; an error where it must be asked and nobody is there.
    var isNeeded: Bool {
        get throws(Problem) {
            if skipped { return false }
            if console.inputIsTerminal { return true }
            throw .invalid("This needs a confirmation, and there is no terminal to ask.", next: "Add --yes if you mean it.")
        }
    }

    /// Returns where the answer is `accepted`; otherwise says that nothing was done and ends with a failure.
    func ask(_ explanation: String, _ question: String, _ accepted: (String) -> Bool) throws(ExitCode) {
        console.warn(explanation)
        guard let answer = console.ask(question), accepted(answer) else {
            console.warn("Nothing was done.")
            throw .failure
        }
    }
}
