import ControlAPI
import Foundation

/// The files that `homing export --all` has written.
struct ExportIndex: Codable, Equatable {
    static let name = "index.json"

    struct Item: Codable, Equatable {
        var entry: EntrySummary
        var fields: [String: String]?
        /// In the same folder; nil without a payload.
        var file: String?
        /// Why the entry could not be exported, as a sentence.
        var problem: String?
    }

    var exportedAt: Date
    private(set) var entries: [Item] = []

    init(exportedAt: Date) { self.exportedAt = exportedAt }

    /// Writes the payload to `ID.json`.
    mutating func add(_ exported: ExportedEntry, in folder: ExportFolder) throws(Problem) {
        var file: String?
        if let payload = exported.payload {
            let name = "\(exported.entry.id).json"
            try folder.write(Data(payload.utf8), as: name)
            file = name
        }
        entries.append(Item(entry: exported.entry, fields: exported.fields, file: file))
    }

    mutating func add(_ entry: EntrySummary, failed problem: Problem) { entries.append(Item(entry: entry, problem: problem.detail)) }

    /// False for errors that would repeat, such as a full disk.
    static func isAboutOneEntry(_ problem: Problem) -> Bool {
        [.internalError, .storageFailed, .tooLarge].contains(problem.code)
    }
}
