/// A setting of a simulated backend that can change at run time.
struct Setting<State> {
    let name: String
    let value: (State) -> JSON
    let change: (inout State, JSON) throws(FaultProblem) -> Void
}

extension Setting {
    /// `read` returns nil if the value is not as `expected`.
    init<Value>(
        _ name: String, _ path: WritableKeyPath<State, Value>, expected: String, write: @escaping (Value) -> JSON,
        read: @escaping (JSON) -> Value?
    ) {
        self.init(
            name: name, value: { write($0[keyPath: path]) },
            change: { state, json throws(FaultProblem) in
                guard let value = read(json) else { throw FaultProblem(description: "\(name): expected \(expected)") }
                state[keyPath: path] = value
            })
    }

    static func flag(_ name: String, _ path: WritableKeyPath<State, Bool>) -> Setting {
        Setting(
            name, path, expected: "true or false", write: { .bool($0) },
            read: { json in [true, false].first { json == .bool($0) } })
    }

    static func word<Choice: RawRepresentable & CaseIterable>(_ name: String, _ path: WritableKeyPath<State, Choice>) -> Setting
    where Choice.RawValue == String {
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return Setting(
            name, path, expected: "one of \(choices)", write: { .string($0.rawValue) },
            read: { json in json.text.flatMap { Choice(rawValue: $0) } })
    }

    static func milliseconds(_ name: String, _ path: WritableKeyPath<State, Duration>) -> Setting {
        Setting(
            name, path, expected: "milliseconds as a whole number of at least 0", write: { .int(Int($0.seconds * 1000)) },
            read: { json in
                guard case .int(let value) = json, (0...1_000_000_000_000).contains(value) else { return nil }
                return .milliseconds(value)
            })
    }

    static func number(_ name: String, _ path: WritableKeyPath<State, Int>, atMost most: Int) -> Setting {
        Setting(
            name, path, expected: "a whole number from 0 to \(most)", write: { .int($0) },
            read: { json in
                guard case .int(let value) = json, (0...most).contains(value) else { return nil }
                return value
            })
    }

    /// At least 1; nil for null.
    static func count(_ name: String, _ path: WritableKeyPath<State, Int?>) -> Setting {
        Setting(
            name, path, expected: "a whole number of at least 1, or null", write: { .integer($0) },
            read: { json -> Int?? in
                if case .int(let value) = json, value > 0 { return .some(value) }
                return json == .null ? .some(nil) : nil
            })
    }

    /// Not empty; nil for null.
    static func text(_ name: String, _ path: WritableKeyPath<State, String?>) -> Setting {
        Setting(
            name, path, expected: "text, or null", write: { .text($0) },
            read: { json -> String?? in
                if let text = json.text, !text.isEmpty { return .some(text) }
                return json == .null ? .some(nil) : nil
            })
    }

    /// The same setting of a state that contains this one.
    func within<Whole>(_ path: WritableKeyPath<Whole, State>) -> Setting<Whole> {
        Setting<Whole>(
            name: name, value: { value($0[keyPath: path]) },
            change: { whole, json throws(FaultProblem) in try change(&whole[keyPath: path], json) })
    }
}
