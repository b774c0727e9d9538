import Foundation
import Sandbox

/// Compares the members, the types and the stable values of two bodies.
struct JSONShape {
    /// Members with values that vary between runs.
    private static let volatile: Set<String> = [
        "id", "user_id", "managed_id", "profile_id", "mask_id", "author_id", "created_at", "updated_at", "external_api_token",
        "unique_internal_model_code", "facial_measurement_id", "manager_id", "manager_email", "user_email", "fm_user_id", "fit_family_id",
    ]

    /// True if the captured body was truncated, so the actual one may hold more.
    private let isCut: Bool
    private let captured: JSON

    init(_ body: String) throws {
        if let whole = try? JSON(bytes: Array(body.utf8)) {  // `try?`: a truncated body does not parse
            captured = whole
            isCut = false
        } else {
            captured = try JSON(bytes: Array(Self.closed(body).utf8))
            isCut = true
        }
    }

    /// The differences, as paths with reasons.
    func differences(to actual: JSON) -> [String] { differences(captured, actual, at: "$", name: "") }

    private func differences(_ captured: JSON, _ actual: JSON, at path: String, name: String) -> [String] {
        switch (captured, actual) {
        case (.object(let captured), .object(let actual)):
            let missing = captured.keys.filter { actual[$0] == nil }.map { "\(path).\($0) is missing" }
            let extra = isCut ? [] : actual.keys.filter { captured[$0] == nil }.map { "\(path).\($0) is not in the captured answer" }
            return missing + extra
                + captured.flatMap { name, left in
                    guard let right = actual[name] else { return [String]() }
                    return differences(left, right, at: "\(path).\(name)", name: name)
                }
        case (.array(let captured), .array(let actual)):
            let counts = captured.count == actual.count || (isCut && captured.count < actual.count)
            let count = counts ? [] : ["\(path) has \(actual.count) elements, not \(captured.count)"]
            // The order of complaints is not compared.
            if name == "messages" { return count + captured.filter { !actual.contains($0) }.map { "\(path) lacks \($0)" } }
            return count
                + zip(captured, actual).enumerated().flatMap { differences($1.0, $1.1, at: "\(path)[\($0)]", name: name) }
        case (.int, .int), (.int, .double), (.double, .int), (.double, .double), (.string, .string), (.bool, .bool):
            return Self.volatile.contains(name) || Self.same(captured, actual) ? [] : ["\(path) is \(actual), not \(captured)"]
        case (.null, .null): return []
        default: return ["\(path) is \(actual), not \(captured)"]
        }
    }

    private static func same(_ left: JSON, _ right: JSON) -> Bool {
        if let left = left.number, let right = right.number { return abs(left - right) < 1e-9 }
        return left == right
    }

    /// Closes truncated JSON after the last complete value.
    static func closed(_ text: String) -> String {
        var open: [Character] = []
        var kept = ""
        var closers = ""
        var isInString = false
        var isEscaped = false
        for (place, character) in text.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInString = false
                }
                continue
            }
            switch character {
            case "\"": isInString = true
            case "{", "[":
                open.append(character == "{" ? "}" : "]")
                kept = String(text.prefix(place + 1))
                closers = String(open.reversed())
            case "}", "]": open.removeLast()
            case ",":
                kept = String(text.prefix(place))
                closers = String(open.reversed())
            default: break
            }
        }
        return kept + closers
    }
}
