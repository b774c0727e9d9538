import ControlAPI
import Foundation
import JSONText
import SyncModel

/// What a file holds that is handed in: the document as it shall be sent, and whose it is where the file says so.
struct CaptureDocument: Equatable {
    let payload: Data
    /// From the capture app's own offline file; nil for a plain document.
    let userID: String?

    /// Reads JSON, or the capture app's offline file `{"measurements": {…}, "userId": 5, …}`, of which only the measurements are sent.
    ///
    /// A plain document stays byte for byte as it is. Of the app's file the measurements are taken out, byte for byte but for white space.
    init(_ data: Data, from name: String) throws(Problem) {
        guard !data.isEmpty else { throw Self.unreadable(name, "it is empty") }
        guard let text = String(validating: data.withoutByteOrderMark, as: UTF8.self) else {
            throw Self.unreadable(name, "it is not text in UTF-8")
        }
        do {
            try JSONSyntax.check(text)
        } catch {
            throw Self.unreadable(name, "\(error)")
        }
        let first = text.utf8.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            throw Self.unreadable(name, "it is a single value, not an object")
        }
        let names = ["userId", "measurements"]
        guard let members = JSONMembers(names, of: text), let user = members["userId"], let measurements = members["measurements"] else {
            self.payload = data
            self.userID = nil
            return
        }
        // Of two only one would be read, and of two users perhaps the wrong one.
        if let twice = names.first(where: members.isRepeated) { throw Self.unreadable(name, "it holds ‘\(twice)’ twice") }
        guard let document = measurements.object, let userID = user.whole.map(String.init) ?? user.string, !userID.isEmpty else {
            throw Self.unreadable(name, "its ‘measurements’ must be an object and its ‘userId’ a number")
        }
        self.payload = Data(document.utf8)
        self.userID = userID
    }

    private static func unreadable(_ name: String, _ reason: String) -> Problem {
        .invalid(
            "\(name) cannot be sent: \(reason).",
            next: "Hand in the JSON that the capture app exported, or the app's own offline file, as it is.")
    }
}
