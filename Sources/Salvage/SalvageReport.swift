import Files
import Foundation

/// The report of a salvage, which lies beside the damaged files.
package struct SalvageReport: Sendable, Hashable, Codable {
    package var at: Date
    /// The damage, as the second half of a sentence.
    package var reason: String
    /// Unsettled entries that were read completely.
    package var saved: Int
    /// Entries held because they are partly unreadable.
    package var unreadable: Int
    /// Accepted entries that are wholly unreadable.
    package var missing: Int
    /// The counter or part of the log is unreadable, or the log continued past its end.
    package var mayMissMore: Bool
    /// Settled entries without a readable receipt.
    package var lostReceipts: Int
    /// The folder of the damaged files.
    package var folder = ""

    private enum CodingKeys: String, CodingKey { case at, reason, saved, unreadable, missing, mayMissMore, lostReceipts }

    /// The reason if only the store's marker was left.
    static let missingStore = "the store is missing"
    /// True if there was no file to save data from.
    package var isOfMissingStore: Bool { reason == Self.missingStore }

    static let fileName = "report.json"

    /// The folder of all damaged stores of a state directory.
    static func folder(in directory: String) -> String { directory + "/damaged" }

    /// Reports of the damaged stores still in `directory`, oldest first.
    package static func all(in directory: String) -> [SalvageReport] {
        let folder = folder(in: directory)
        // `try?`: without this folder, nothing was ever damaged.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { SalvageReport(folder: folder + "/" + $0) }
    }

    init(at: Date, reason: String) {
        (self.at, self.reason) = (at, reason)
        (saved, unreadable, missing, mayMissMore, lostReceipts) = (0, 0, 0, false, 0)
    }

    init?(folder: String) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // `try?`: a folder without a readable report is unfinished, or not ours.
        guard let content = try? DurableFile(path: folder + "/" + Self.fileName).read(),
            let report = try? decoder.decode(SalvageReport.self, from: content)
        else { return nil }
        self = report
        self.folder = folder
    }

    func write(to folder: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try DurableFile(path: folder + "/" + Self.fileName).replace(with: encoder.encode(self))
    }
}
