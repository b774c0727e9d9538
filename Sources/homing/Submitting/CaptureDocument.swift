import ControlAPI
import Foundation
import JSON
import SyncModel

/// The payload of a file and, if the file names one, its user.
struct CaptureDocument: Equatable {
    let payload: Data
    /// From the capture app's offline file; nil for a plain document.
    let userID: String?
    /// The capture time; nil for documents other than captures.
    let capturedAt: Date?

    /// Reads JSON, or the capture app's offline file `{"measurements": {…}, "userId": 5, …}`. The payload is the unchanged bytes.
    init(_ data: Data, from name: String) throws(Problem) {
        guard !data.isEmpty else { throw Self.unreadable(name, "it is empty") }
        guard String(validating: data, as: UTF8.self) != nil else { throw Self.unreadable(name, "it is not UTF-8 text") }
        let bytes = data.withoutByteOrderMark
        do {
            try JSONSyntax.check(bytes)
        } catch {
            throw Self.unreadable(name, "\(error)")
        }
        let root = JSONDocument(checked: bytes).root
        guard root.kind == .object || root.kind == .array else { throw Self.unreadable(name, "it is not an object or an array") }
        let names = ["userId", "measurements"]
        let members = Dictionary(grouping: root.members.filter { names.contains($0.name) }, by: \.name).mapValues { $0.map(\.value) }
        let isCapture = members["measurements"] != nil || root.element(at: JSONPointer(tokens: ["average_measurements"]))?.kind == .object
        capturedAt = isCapture ? root.captureTime : nil
        guard let user = members["userId"]?.first, let measurements = members["measurements"]?.first else {
            self.payload = data
            self.userID = nil
            return
        }
        // With a duplicate member, the wrong measurements or the wrong user could be read.
        if let twice = names.first(where: { members[$0]?.count ?? 0 > 1 }) { throw Self.unreadable(name, "it contains ‘\(twice)’ twice") }
        guard measurements.kind == .object, let userID = user.whole.map(String.init) ?? user.scalar?.string, !userID.isEmpty else {
            throw Self.unreadable(name, "its ‘measurements’ must be an object and its ‘userId’ a number")
        }
        self.payload = measurements.bytes
        self.userID = userID
    }

    private static func unreadable(_ name: String, _ reason: String) -> Problem {
        .invalid(
            "\(name) cannot be sent: \(reason).",
            next: "Submit the JSON that the capture app exported, or the app's own offline file, unchanged.")
    }
}
