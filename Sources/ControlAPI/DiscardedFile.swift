import Foundation

/// Discards a refused file of the drop folder.
public struct FileDiscardRequest: WireRequest {
    /// Its name in `refused/`.
    public var name: String
    /// A person's words for the event, at most 200 characters.
    public var reason: String
    /// Of the file in the list: a file that has replaced it stays. Nil for any.
    public var version: String?

    public init(name: String, reason: String, version: String? = nil) {
        self.name = name
        self.reason = reason
        self.version = version
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["name", "reason", "version"])
        let longest = DiscardRequest.longestReason
        guard let given = reader.text("reason"), !given.isEmpty else {
            throw Problem.missing("reason").stating(.reasonMissing) { $0.limit = longest }
        }
        let reason = given.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...longest).contains(reason.count) else {
            throw Problem.invalid("The reason has \(reason.count) characters; expected 1 to \(longest).")
                .stating(reason.isEmpty ? .reasonMissing : .reasonTooLong) { ($0.count, $0.limit) = (reason.count, longest) }
        }
        self.init(name: try reader.required("name"), reason: reason, version: try reader.nonempty("version"))
    }

    public var parameters: [String: String] {
        var parameters = ["name": name, "reason": reason]
        parameters["version"] = version
        return parameters
    }
    public var auditTarget: String? { name }
}

/// The refused file was discarded.
public struct DiscardedFile: Codable, Sendable, Equatable {
    public var name: String

    public init(name: String) { self.name = name }
}
