import ControlAPI

struct ProblemText {
    let style: TextStyle

    func lines(_ problem: Problem) -> String {
        let detail = style.alarming(problem.detail.printable.withShortIDs)
        return problem.next.map { "\(detail)\n\($0.printableLines.withShortIDs)" } ?? detail
    }
}
