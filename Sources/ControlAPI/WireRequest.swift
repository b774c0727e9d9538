import Foundation

/// Parameters by name, and a body.
public protocol WireRequest: Sendable {
    /// Path and query parameters.
    var parameters: [String: String] { get }
    /// Always JSON; nil for none.
    var body: Data? { get }
    /// The object of the call, for the log: an id, a name or a backend; nil for none.
    var auditTarget: String? { get }
    /// The error names the wrong parameter and the expected value.
    init(parameters: [String: String], body: Data?) throws(Problem)
}

extension WireRequest {
    public var body: Data? { nil }
    public var auditTarget: String? { parameters["id"] ?? parameters["backend"] }
}

extension WireRequest where Self: Decodable {
    /// Rejects unknown keys: a misspelt `until` would pause for ever.
    static func read(_ body: Data, known: [String], like example: String) throws(Problem) -> Self {
        let (request, keys): (Self, Set<String>)
        do {
            request = try JSONCoding.decoder.decode(Self.self, from: body)
            keys = Set(try JSONCoding.decoder.decode([String: AnyValue].self, from: body).keys)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.last != nil {
            // Only times are checked for more than their type.
            let key = context.codingPath.last?.stringValue ?? ""
            throw .invalid("The key ‘\(key)’ in the body has no valid time; expected \(JSONCoding.timeForms).")
        } catch {
            throw .invalid("The body must be JSON like \(example).")
        }
        if let key = keys.subtracting(known).min() {
            throw .invalid("Unknown key ‘\(key)’ in the body; expected: \(known.joined(separator: ", ")).")
        }
        return request
    }
}

private struct AnyValue: Decodable {
    init(from decoder: any Decoder) {}
}

/// Reads parameters and rejects unknown ones.
struct ParameterReader {
    private let parameters: [String: String]

    init(_ parameters: [String: String], known: [String]) throws(Problem) {
        self.parameters = parameters
        for name in parameters.keys.sorted()
        where !known.contains(where: { $0 == name || ($0.hasSuffix("*") && name.hasPrefix($0.dropLast())) }) {
            let expected = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
            throw .invalid("Unknown parameter ‘\(name)’; expected: \(expected).")
        }
    }

    func text(_ name: String) -> String? { parameters[name] }

    /// The item fields, passed as `item.<name>=<value>`.
    var items: [String: String] {
        let items = parameters.filter { $0.key.hasPrefix(Self.item) }
        return Dictionary(uniqueKeysWithValues: items.map { (String($0.key.dropFirst(Self.item.count)), $0.value) })
    }

    static func parameters(ofItems items: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: items.map { (item + $0.key, $0.value) })
    }

    private static let item = "item."

    func nonempty(_ name: String) throws(Problem) -> String? {
        if parameters[name]?.isEmpty == true { throw .invalid("The parameter ‘\(name)’ is empty.") }
        return parameters[name]
    }

    func required(_ name: String) throws(Problem) -> String {
        guard let value = parameters[name], !value.isEmpty else { throw .missing(name) }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = parameters[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// A time with an offset, or one of the station.
    func time(_ name: String) throws(Problem) -> Date? {
        guard let text = parameters[name] else { return nil }
        // In a query, a plus sign that is not encoded is a space.
        guard let date = JSONCoding.date(text, in: .current) ?? JSONCoding.date(text.replacing(" ", with: "+")) else {
            let mistake = JSONCoding.mistake(in: text, .current)
            throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected \(JSONCoding.timeForms).\(mistake)")
        }
        return date
    }

    /// A time in the forms of `time`, or a day, such as 2025-03-11, which is its start at the station.
    func timeOrDay(_ name: String) throws(Problem) -> Date? {
        if let day = parameters[name].flatMap(LocalDay.init), let start = day.start(in: .current) { return start }
        return try time(name)
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch parameters[name] {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        case .some(let text): throw .invalid("The parameter ‘\(name)’ is ‘\(text)’; expected true or false.")
        }
    }
}

extension Problem {
    static func missing(_ parameter: String) -> Problem { .invalid("The parameter ‘\(parameter)’ is missing.") }
}
