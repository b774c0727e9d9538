import Files
import Foundation

/// The id of this installation, for backends that ask for one: a UUID, made at the first start.
package enum DeviceID {
    /// Reads `<stateDirectory>/device-id`; creates it if it is missing, unreadable or not a UUID. First completes an interrupted restore.
    package static func load(stateDirectory: String) throws(FileError) -> String {
        try takeRestored(stateDirectory: stateDirectory)
        let file = DurableFile(path: "\(stateDirectory)/device-id")
        if let content = try file.readOrNothing(), let id = parse(content) { return id }
        let id = UUID().uuidString.lowercased()
        try store(id, stateDirectory: stateDirectory)
        return id
    }

    /// Replaces it durably.
    static func store(_ id: String, stateDirectory: String) throws(FileError) {
        try DurableFile(path: "\(stateDirectory)/device-id").replace(with: Data("\(id)\n".utf8))
    }

    static func parse(_ content: Data) -> String? {
        UUID(uuidString: String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))?.uuidString.lowercased()
    }
}
