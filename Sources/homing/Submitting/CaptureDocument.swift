import ControlAPI
import Foundation

/// What a file holds that is handed in: the document as it shall be sent, and whose it is where the file says so.
struct CaptureDocument: Equatable {
    let payload: Data
    /// From the capture app's own offline file; nil for a plain document.
    let userID: String?

    /// Reads JSON, or the capture app's offline file `{"measurements": {…}, "userId": 5, …}`, of which only the measurements are sent.
    init(_ data: Data, from name: String) throws(Problem) {
        guard !data.isEmpty else { throw Self.unreadable(name, "it is empty") }
        guard String(data: data, encoding: .utf8) != nil else { throw Self.unreadable(name, "it is not text in UTF-8") }
        let json: JSONTree
        do {
            json = try JSONDecoder().decode(JSONTree.self, from: data)
        } catch {
            throw Self.unreadable(name, "it is not JSON, or not all of it is there")
        }
        switch json {
        case .object, .array: break
        default: throw Self.unreadable(name, "it is a single value, not an object")
        }
        guard case .object(let members) = json, let user = members["userId"], let measurements = members["measurements"] else {
            self.payload = data
            self.userID = nil
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard case .object = measurements, let userID = Self.text(user),
            let payload = try? encoder.encode(measurements)  // `try?`: what was read as JSON can be written as JSON
        else {
            throw Self.unreadable(name, "its ‘measurements’ must be an object and its ‘userId’ a number")
        }
        self.payload = payload
        self.userID = userID
    }

    private static func text(_ user: JSONTree) -> String? {
        switch user {
        case .int(let number): String(number)
        case .string(let text) where !text.isEmpty: text
        default: nil
        }
    }

    private static func unreadable(_ name: String, _ reason: String) -> Problem {
        .invalid(
            "\(name) cannot be sent: \(reason).",
            next: "Hand in the JSON that the capture app exported, or the app's own offline file, as it is.")
    }
}
