import Backends
import ControlAPI
import SyncModel

extension Problem {
    /// The refusal of a submission whose rows must exist; nil if all may. Names each row that is not listed, or that will be deleted.
    ///
    /// - Parameter deleted: the resource whose row the submission itself deletes; nil for none.
    static func notListed(_ advice: [Advice], deleting deleted: String?, _ commands: NextCommands) -> Problem? {
        let problems = advice.compactMap { advice -> Problem? in
            switch advice.result {
            case .listed, .unchecked: nil
            case .deleted(let sentence): beingDeleted(sentence, by: deleted == advice.subject.resource ? nil : advice.deletion)
            case .unlisted(let sentence): unlisted(sentence, advice, commands)
            }
        }
        guard var problem = problems.first else { return nil }
        problem.detail = "Nothing was accepted: " + problems.map(\.detail).joined(separator: " ")
        let steps = problems.compactMap(\.next)
        problem.next = steps.isEmpty ? nil : steps.joined(separator: "\n")
        return problem
    }

    private static func unlisted(_ sentence: String, _ advice: Advice, _ commands: NextCommands) -> Problem {
        let (list, title) = (advice.subject.resource, advice.title)
        func command(_ option: String) -> String { commands.roster(list, title.many, option) }
        return Problem(
            .notListed, status: 409, title: "Not in the list", detail: sentence,
            next: "To find the id, run: \(command("--find TEXT"))\nTo read the list again, run: \(command("--refresh"))"
        ).stating(.unlisted) { $0.title = RosterTitle(title) }
    }

    /// - Parameter deletion: nil for a second one, which wants the same.
    private static func beingDeleted(_ sentence: String, by deletion: MutationID?) -> Problem {
        Problem(
            .notListed, status: 409, title: "Being deleted", detail: sentence,
            next: deletion.map { "To cancel the deletion, an administrator runs: homing discard \($0)" }
        ).stating(.beingDeleted)
    }
}
