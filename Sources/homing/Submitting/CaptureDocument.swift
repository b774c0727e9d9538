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
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw Self.unreadable(name, "it is not JSON, or not all of it is there")
        }
        guard let object = json as? [String: Any], let user = object["userId"], let measurements = object["measurements"] else {
            self.payload = data
            self.userID = nil
            return
        }
        guard let measurements = measurements as? [String: Any], let userID = Self.text(user),
            // `try?`: what was read as JSON can be written as JSON.
            let payload = try? JSONSerialization.data(withJSONObject: measurements, options: [.sortedKeys, .withoutEscapingSlashes])
        else {
            throw Self.unreadable(name, "its ‘measurements’ must be an object and its ‘userId’ a number")
        }
        self.payload = payload
        self.userID = userID
    }

    private static func text(_ user: Any) -> String? {
        if let text = user as? String, !text.isEmpty { return text }
        if user is Bool { return nil }
        return (user as? Int64).map(String.init)
    }

    private static func unreadable(_ name: String, _ reason: String) -> Problem {
        .invalid(
            "\(name) cannot be sent: \(reason).",
            next: "Hand in the JSON that the capture app exported, or the app's own offline file, as it is.")
    }
}
