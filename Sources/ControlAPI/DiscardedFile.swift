import Foundation

/// Destroys a refused file of the drop folder.
public struct FileDiscardRequest: WireRequest {
    /// Its name in `refused/`.
    public var name: String
    /// A person's words for the event, at most 200 characters.
    public var reason: String

    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["name", "reason"])
        let reason = try reader.required("reason").trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...DiscardRequest.longestReason).contains(reason.count) else {
            throw .invalid("The reason has \(reason.count) characters; expected 1 to \(DiscardRequest.longestReason).")
        }
        self.init(name: try reader.required("name"), reason: reason)
    }

    public var parameters: [String: String] { ["name": name, "reason": reason] }
}

/// The refused file was destroyed.
public struct DiscardedFile: Codable, Sendable, Equatable {
    public var name: String
    /// The number of refused files that are left.
    public var refused: Int

    public init(name: String, refused: Int) {
        self.name = name
        self.refused = refused
    }
}
