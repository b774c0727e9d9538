import Foundation
import SyncModel

/// What a file in the drop folder says: a document and the user whom it is about.
struct CaptureFile: Equatable {
    var user: JSONValue
    /// The measurement's JSON.
    var document: Data

    /// Reads the capture app's own offline file (`{"measurements": {…}, "userId": 5, …}`), or a plain capture whose user is its folder.
    ///
    /// A plain capture stays byte for byte as it is. Of the app's file the measurements are taken out, with every number at the value it had.
    init(name: String, folder: String?, content: Data) throws(NotUnderstood) {
        guard !content.isEmpty else { throw NotUnderstood("The file is empty.") }
        // The reader also takes UTF-16, which has NULs.
        guard !content.contains(0), case .object(let members) = JSONValue(parsing: content) else {
            throw NotUnderstood.noObject
        }
        // Of two only one would be read, and of two users perhaps the wrong one.
        let repeated = try JSONMembers.repeated(in: content)
        if let name = ["userId", "measurements", "average_measurements"].first(where: repeated.contains) {
            throw NotUnderstood("The file holds “\(name)” twice, so that it is not clear which one is meant.")
        }
        if let measurements = members["measurements"], let stated = members["userId"] {
            try self.init(appFile: measurements, user: stated, name: name, folder: folder)
        } else {
            guard case .object = members["average_measurements"] else {
                throw NotUnderstood(
                    "The file holds neither “average_measurements” (a capture) nor “measurements” and “userId” (the capture app’s own file)."
                )
            }
            guard let folder else {
                throw NotUnderstood(
                    "It is not said whose measurement this is. Put the file into new/users/<id>/, where <id> is the user’s number.")
            }
            try Self.check(folder)
            self.init(user: JSONValue(argument: folder), document: content)
        }
    }

    /// Two names of one user would be two lanes, with no order between them. What else a user's id may look like is for the profile to say.
    private static func check(_ folder: String) throws(NotUnderstood) {
        guard folder.first?.isWhitespace == false, folder.last?.isWhitespace == false,
            !folder.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw NotUnderstood(
                "The name of its folder begins or ends with white space, or holds a control character; a user’s number such as 5 was expected."
            )
        }
        let isNumber = folder.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isNumber, folder.hasPrefix("0") {
            throw NotUnderstood(
                "Its folder is called \(folder); a user’s number above 0 and without leading zeros, such as 5, was expected.")
        }
    }

    private init(user: JSONValue, document: Data) {
        self.user = user
        self.document = document
    }

    private init(appFile measurements: JSONValue, user: JSONValue, name: String, folder: String?) throws(NotUnderstood) {
        guard case .object(let parts) = measurements, case .object = parts["average_measurements"] else {
            throw NotUnderstood("“measurements” does not hold “average_measurements”.")
        }
        guard case .int(let number) = user, number > 0 else { throw NotUnderstood("“userId” must be a whole number above 0.") }
        // Biometric data of the wrong person is worse than a file put aside.
        let words = name.split(separator: "_")
        if words.count == 3, words[0] == "measurements", let named = Int64(words[1]), named != number {
            throw NotUnderstood("The file’s name says user \(named), its content says user \(number).")
        }
        if let folder, folder != String(number) {
            throw NotUnderstood("The file’s folder says user \(folder), its content says user \(number).")
        }
        self.init(user: user, document: measurements.serialized)
    }

    /// Why a file was put aside, as a sentence that says what was expected.
    struct NotUnderstood: Error, Equatable {
        let reason: String
        init(_ reason: String) { self.reason = reason }

        static let noObject = Self(
            "The file is not a JSON object. Expected a capture with “average_measurements”, or the capture app’s own file.")
    }
}
