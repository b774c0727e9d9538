import Foundation
import JSON
import SyncModel

/// The payload of a dropped file, and the user it is for.
struct CaptureFile: Equatable {
    var user: JSONValue
    var payload: Data
    /// From the file; nil if it has none.
    var capturedAt: Date?

    /// Reads the capture app's offline file (`{"measurements": {…}, "userId": 5, …}`), or a plain capture whose folder names the user.
    /// Keeps the measurements byte for byte.
    ///
    /// - Parameter users: the folder with a folder for each user, as the message names it.
    init(name: String, folder: String?, content: Data, users: String = "new/users") throws(NotUnderstood) {
        guard !content.isEmpty else { throw NotUnderstood("The file is empty.") }
        let names = ["userId", "measurements", "average_measurements"]
        guard let root = JSONDocument(content)?.root, root.kind == .object else {
            if let flaw = JSONSyntax.encodingFlaw(content.withoutByteOrderMark) {
                throw NotUnderstood("The file is not a JSON object: \(flaw).")
            }
            throw JSONSyntax.endsInsideObject(content) ? .cutOff : .noObject
        }
        let members = try Self.members(names, of: root)
        if let measurements = members["measurements"], let stated = members["userId"] {
            try self.init(appFile: measurements, user: stated, name: name, folder: folder)
        } else {
            if let kind = members["average_measurements"]?.kind, kind != .object {
                throw NotUnderstood("“average_measurements” must be a JSON object, {…}.")
            }
            guard members["average_measurements"] != nil else {
                throw NotUnderstood(
                    "The file contains neither “average_measurements” (a capture) "
                        + "nor “measurements” and “userId” (the capture app’s own file).")
            }
            guard let folder else {
                throw NotUnderstood(
                    "The file does not say which user it is about. Drop it into the folder of that user: "
                        + "\(users)/ID/, where ID is the user’s number.")
            }
            try Self.check(folder)
            let reference = RosterID(reference: folder)?.rawValue
            self.init(user: reference.map(JSONValue.string) ?? JSONValue(argument: folder), payload: content)
        }
        capturedAt = root.captureTime
    }

    /// Rejects aliases: two names of one user would be two unordered lanes. The profile checks the rest.
    private static func check(_ folder: String) throws(NotUnderstood) {
        guard folder.first?.isWhitespace == false, folder.last?.isWhitespace == false,
            !folder.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw NotUnderstood(
                "The file’s folder name starts or ends with white space, or contains a control character. "
                    + "Expected a user’s number, such as 5.")
        }
        let isNumber = folder.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber, folder.hasPrefix("0") {
            throw NotUnderstood(
                "The file’s folder is named \(folder). Expected a user’s number above 0 without leading zeros, such as 5.")
        }
    }

    private init(user: JSONValue, payload: Data) {
        self.user = user
        self.payload = payload
    }

    private static func members(_ names: [String], of object: JSONElement) throws(NotUnderstood) -> [String: JSONElement] {
        var found: [String: JSONElement] = [:]
        for (name, value) in object.members where names.contains(name) {
            if found.updateValue(value, forKey: name) != nil { throw .twice(name) }
        }
        return found
    }

    private init(appFile measurements: JSONElement, user: JSONElement, name: String, folder: String?) throws(NotUnderstood) {
        let key = "average_measurements"
        guard try Self.members([key], of: measurements)[key]?.kind == .object else {
            throw NotUnderstood("“measurements” must contain the JSON object “average_measurements”.")
        }
        guard let number = user.whole, number > 0 else { throw NotUnderstood("“userId” must be a whole number above 0.") }
        // A refused file is better than data stored for the wrong person.
        let words = name.split(separator: "_")
        if words.count == 3, words[0] == "measurements", let named = Int64(words[1]), named != number {
            throw NotUnderstood("The file name says user \(named), but the content says user \(number).")
        }
        if let folder, folder != String(number) {
            throw NotUnderstood("The folder name says user \(folder), but the content says user \(number).")
        }
        self.init(user: .int(number), payload: measurements.bytes)
    }

    /// A sentence that names the expected form.
    struct NotUnderstood: Error, Equatable {
        let reason: String
        init(_ reason: String) { self.reason = reason }

        /// A duplicate key is ambiguous and could select the wrong user.
        static func twice(_ name: String) -> Self {
            Self("The file contains “\(name)” twice, which is ambiguous.")
        }

        static let noObject = Self(
            "The file is not a JSON object. Expected a capture with “average_measurements”, or the capture app’s own file.")

        static let cutOff = Self("The file is not a JSON object. It ends in the middle, so it may be cut off. Drop the complete file.")
    }
}
