import Foundation

/// What a call carries: parameters of path and query by name, and a body.
public protocol WireRequest: Sendable {
    /// Path and query parameters, as text.
    var parameters: [String: String] { get }
    /// The body, always JSON; nil for none.
    var body: Data? { get }
    /// Reads what the other side sent, or says which parameter is wrong and what was expected.
    init(parameters: [String: String], body: Data?) throws(Problem)
}

extension WireRequest {
    public var body: Data? { nil }
}

/// Parameters of one request, read one by one; what is left over at the end was not expected.
struct ParameterReader {
    private var left: [String: String]
    private let known: [String]

    init(_ parameters: [String: String], known: [String]) throws(Problem) {
        left = parameters
        self.known = known
        for name in parameters.keys.sorted()
        where !known.contains(where: { $0 == name || ($0.hasSuffix("*") && name.hasPrefix($0.dropLast())) }) {
            let expected = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
            throw .invalid("The parameter ‘\(name)’ is not known here; expected: \(expected).")
        }
    }

    func text(_ name: String) -> String? { left[name] }

    func required(_ name: String) throws(Problem) -> String {
        guard let value = left[name], !value.isEmpty else { throw .invalid("The parameter ‘\(name)’ is missing.") }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = left[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// An RFC 3339 time with milliseconds, as in every answer.
    func time(_ name: String) throws(Problem) -> Date? {
        guard let text = left[name] else { return nil }
        guard let date = JSONCoding.date(text) else {
            throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected a time like 2025-03-11T14:00:00.000Z.")
        }
        return date
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch left[name] {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        case .some(let text): throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected true or false.")
        }
    }
}
