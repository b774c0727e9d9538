import ControlAPI
import Foundation
import JSON
import SyncModel

/// What a file holds that is handed in: the document as it shall be sent, and whose it is where the file says so.
struct CaptureDocument: Equatable {
    let payload: Data
    /// From the capture app's own offline file; nil for a plain document.
    let userID: String?
    /// As a capture says; nil where it does not, and for a document that is none.
    let capturedAt: Date?

    /// Reads JSON, or the capture app's offline file `{"measurements": {…}, "userId": 5, …}`, of which only the measurements are sent.
    ///
    /// A plain document stays byte for byte as it is. Of the app's file the measurements are taken out, byte for byte.
    init(_ data: Data, from name: String) throws(Problem) {
        guard !data.isEmpty else { throw Self.unreadable(name, "it is empty") }
        guard String(validating: data, as: UTF8.self) != nil else { throw Self.unreadable(name, "it is not text in UTF-8") }
        let bytes = data.withoutByteOrderMark
        do {
            try JSONSyntax.check(bytes)
        } catch {
            throw Self.unreadable(name, "\(error)")
        }
        let root = JSONDocument(checked: bytes).root
        guard root.kind == .object || root.kind == .array else { throw Self.unreadable(name, "it is a single value, not an object") }
        let names = ["userId", "measurements"]
        let members = Dictionary(grouping: root.members.filter { names.contains($0.name) }, by: \.name).mapValues { $0.map(\.value) }
        let isCapture = members["measurements"] != nil || root.element(at: JSONPointer(tokens: ["average_measurements"]))?.kind == .object
        capturedAt = isCapture ? root.captureTime : nil
        guard let user = members["userId"]?.first, let measurements = members["measurements"]?.first else {
            self.payload = data
            self.userID = nil
            return
        }
        // Of two only one would be read, and of two users perhaps the wrong one.
        if let twice = names.first(where: { members[$0]?.count ?? 0 > 1 }) { throw Self.unreadable(name, "it holds ‘\(twice)’ twice") }
        guard measurements.kind == .object, let userID = user.whole.map(String.init) ?? user.scalar?.string, !userID.isEmpty else {
            throw Self.unreadable(name, "its ‘measurements’ must be an object and its ‘userId’ a number")
        }
        self.payload = measurements.bytes
        self.userID = userID
    }

    private static func unreadable(_ name: String, _ reason: String) -> Problem {
        .invalid(
            "\(name) cannot be sent: \(reason).",
            next: "Hand in the JSON that the capture app exported, or the app's own offline file, as it is.")
    }
}
