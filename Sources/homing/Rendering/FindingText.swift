import ControlAPI

/// The results of checks: one line each, with the remedy below it where something is wrong.
struct FindingText {
    let style: TextStyle
    /// In columns.
    var width = Table.width

    func lines(_ findings: [Finding]) -> String {
        let names = findings.map { name($0).columns }.max() ?? 0
        let hasOneBackend = Set(findings.compactMap(\.backend)).count < 2
        return (findings.flatMap { lines($0, names, namesBackend: !hasOneBackend) } + ["", summary(findings)]).joined(separator: "\n")
    }

    private func lines(_ finding: Finding, _ names: Int, namesBackend: Bool) -> [String] {
        let (symbol, word) = mark(finding)
        let margin = "\(symbol) \(word.padded(toColumns: 7))  \(name(finding).padded(toColumns: names))  "
        let room = max(20, width - margin.columns)
        let backend = finding.backend.map { namesBackend && !finding.finding.contains($0) ? "\($0): " : "" } ?? ""
        let text = "\(backend)\(finding.finding)".printable.wrapped(toColumns: room)
        let remedy = (finding.remedy ?? "").printableLines.split(separator: "\n").flatMap { line in
            String(line).wrapped(toColumns: room - 2).enumerated().map { ($0 == 0 ? "→ " : "  ") + $1 }
        }
        let empty = String(repeating: " ", count: margin.columns)
        return (text + remedy).enumerated().map { $0 == 0 ? coloured(margin, finding) + $1 : empty + $1 }
    }

    private func mark(_ finding: Finding) -> (symbol: String, word: String) {
        switch finding.knownState {
        case .ok: ("✓", "ok")
        case .note: ("–", "note")
        case .warning: ("!", "warning")
        case .problem: ("✗", "problem")
        case .unknown: ("?", finding.state.printable)
        }
    }

    private func coloured(_ text: String, _ finding: Finding) -> String {
        switch finding.knownState {
        case .ok: style.good(text)
        case .note: text
        case .warning, .unknown: style.notable(text)
        case .problem: style.alarming(text)
        }
    }

    private func name(_ finding: Finding) -> String { finding.check.printable.replacing("-", with: " ") }

    private func summary(_ findings: [Finding]) -> String {
        let (warnings, problems) = (findings.count { $0.knownState == .warning }, findings.count { $0.knownState == .problem })
        if warnings + problems == 0 {
            return findings.contains { $0.knownState == .note } ? "Nothing is wrong, but some checks did not run." : "All is well."
        }
        let parts = [
            problems > 0 ? Words.count(problems, "problem", "problems") : nil,
            warnings > 0 ? Words.count(warnings, "warning", "warnings") : nil,
        ].compactMap(\.self)
        return "\(parts.inWords)."
    }
}
