/// Settings values; each function throws a description of the expected value.
extension JSON {
    func flag(of name: String) throws(FaultProblem) -> Bool {
        guard case .bool(let value) = self else { throw FaultProblem(description: "\(name): expected true or false") }
        return value
    }

    func word<Choice: RawRepresentable & CaseIterable>(of name: String, as: Choice.Type = Choice.self) throws(FaultProblem) -> Choice
    where Choice.RawValue == String {
        guard let value = text.flatMap(Choice.init(rawValue:)) else {
            throw FaultProblem(description: "\(name): expected one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return value
    }

    /// A whole number of milliseconds, at least 0.
    func milliseconds(of name: String) throws(FaultProblem) -> Duration {
        guard case .int(let value) = self, (0...1_000_000_000_000).contains(value) else {
            throw FaultProblem(description: "\(name): expected milliseconds as a whole number of at least 0")
        }
        return .milliseconds(value)
    }

    /// The inverse of `milliseconds(of:)`.
    static func milliseconds(_ duration: Duration) -> JSON { .int(Int(duration.seconds * 1000)) }

    /// A whole number, at least 1; nil for null.
    func count(of name: String) throws(FaultProblem) -> Int? {
        if self == .null { return nil }
        guard case .int(let value) = self, value > 0 else {
            throw FaultProblem(description: "\(name): expected a whole number of at least 1, or null")
        }
        return value
    }

    /// A non-empty string; nil for null.
    func text(of name: String) throws(FaultProblem) -> String? {
        if self == .null { return nil }
        guard let text, !text.isEmpty else { throw FaultProblem(description: "\(name): expected text, or null") }
        return text
    }
}
