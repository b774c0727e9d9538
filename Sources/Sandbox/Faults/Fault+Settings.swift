/// An invalid fault or setting, with the expected form.
package struct FaultProblem: Error, Equatable, CustomStringConvertible {
    package let description: String

    static let noPeople = FaultProblem(description: "this backend has no people")
}

extension Fault {
    private static let commonSettings: Set<String> = ["path", "method", "user", "count"]

    /// Parses `name:key=value,key=value`, the command-line form.
    package init(argument: String) throws(FaultProblem) {
        let halves = argument.split(separator: ":", maxSplits: 1).map(String.init)
        var settings: [(String, String)] = []
        for pair in halves.dropFirst().first?.split(separator: ",") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw FaultProblem(description: "'\(pair)' is not a setting: expected key=value") }
            settings.append((parts[0], parts[1]))
        }
        try self.init(name: halves.first ?? "", settings: settings)
    }

    /// Parses `{"fault":"name","count":1,...}`, the form of the control URL.
    package init(json: JSON) throws(FaultProblem) {
        guard let object = json.members, let name = object["fault"]?.text else {
            throw FaultProblem(description: #"expected an object with "fault": one of \#(Self.names)"#)
        }
        var settings: [(String, String)] = []
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where key != "fault" {
            switch value {
            case .null: continue
            case .string(let text): settings.append((key, text))
            case .bool, .int, .double: settings.append((key, value.description))
            default: throw FaultProblem(description: "\(key): expected text, a number, true or false")
            }
        }
        try self.init(name: name, settings: settings)
    }

    private init(name: String, settings: [(String, String)]) throws(FaultProblem) {
        guard let known = FaultName(rawValue: name) else {
            throw FaultProblem(description: "there is no fault '\(name)': expected one of \(Self.names)")
        }
        self.init(known)
        for (key, value) in settings { try set(key, to: value) }
    }

    private mutating func set(_ key: String, to value: String) throws(FaultProblem) {
        let allowed = name.settings.union(name.meetsRequests ? Self.commonSettings : name == .refuse ? ["count"] : [])
        guard allowed.contains(key) else {
            let expected = allowed.isEmpty ? "it has no settings" : "expected one of \(allowed.sorted().joined(separator: ", "))"
            throw FaultProblem(description: "\(name.rawValue) has no setting '\(key)': \(expected)")
        }
        switch key {
        case "path": path = value
        case "method": method = value.uppercased()
        case "user": user = try Self.number(value, of: key, atLeast: 1)
        case "count": count = try Self.number(value, of: key, atLeast: 1)
        case "retry-after": retryAfter = try Self.number(value, of: key, atLeast: 0)
        case "retry-after-form":
            guard let form = RetryAfterForm(rawValue: value) else {
                throw FaultProblem(description: "\(key)=\(value): expected seconds or date")
            }
            retryAfterForm = form
        case "location": location = value
        case "status": status = try Self.status(value, of: key)
        case "code": code = value
        case "milliseconds": milliseconds = try Self.number(value, of: key, atLeast: 0)
        case "after": after = try Self.number(value, of: key, atLeast: 0)
        default:
            guard let flag = Bool(value) else { throw FaultProblem(description: "\(key)=\(value): expected true or false") }
            rememberTokens = flag
        }
    }

    private static func number(_ value: String, of key: String, atLeast least: Int) throws(FaultProblem) -> Int {
        guard let number = Int(value), number >= least else {
            throw FaultProblem(description: "\(key)=\(value): expected a whole number of at least \(least)")
        }
        return number
    }

    private static func status(_ value: String, of key: String) throws(FaultProblem) -> Int {
        guard let status = Int(value), (400...599).contains(status) else {
            throw FaultProblem(description: "\(key)=\(value): expected an error status from 400 to 599")
        }
        return status
    }

    private static var names: String { FaultName.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The form that the control URL returns.
    package var json: JSON {
        var object: JSONObject = ["fault": .string(name.rawValue)]
        object["path"] = path.map { .string($0) }
        object["method"] = method.map { .string($0) }
        object["user"] = user.map { .integer($0) }
        object["count"] = count.map { .integer($0) }
        for setting in name.settings.sorted() {
            switch setting {
            case "retry-after": object[setting] = retryAfter.map { .integer($0) }
            case "retry-after-form": object[setting] = .string(retryAfterForm.rawValue)
            case "location": object[setting] = .string(location)
            case "status": object[setting] = .integer(status)
            case "code": object[setting] = code.map { .string($0) }
            case "milliseconds": object[setting] = .integer(milliseconds)
            case "after": object[setting] = .integer(after)
            default: object[setting] = .bool(rememberTokens)
            }
        }
        return .object(object)
    }
}
