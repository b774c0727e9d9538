/// Colours on terminals that support them; otherwise plain text.
struct TextStyle: Sendable {
    let isColoured: Bool

    static let plain = TextStyle(isColoured: false)

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// Coloured on a terminal, unless `NO_COLOR` is not empty or `TERM` is `dumb`.
    init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { code(1, text) }
    func faint(_ text: String) -> String { code(2, text) }
    func alarming(_ text: String) -> String { code(31, text) }
    func good(_ text: String) -> String { code(32, text) }
    func notable(_ text: String) -> String { code(33, text) }

    private func code(_ number: Int, _ text: String) -> String { isColoured ? "\u{1B}[\(number)m\(text)\u{1B}[0m" : text }
}
