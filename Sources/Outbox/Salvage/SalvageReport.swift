import Foundation
import Vault

/// What became of a store that was damaged. It lies beside the damaged files, and what it tells holds for as long as their folder is there.
package struct SalvageReport: Sendable, Hashable, Codable {
    package var at: Date
    /// What was wrong, as the second half of a sentence.
    package var reason: String
    /// Entries that were read whole and are not settled.
    package var saved: Int
    /// Entries that are held, because not all of them could be read.
    package var quarantined: Int
    /// Entries that were accepted and of which nothing could be read.
    package var missing: Int
    /// There may be more of the latter: what counts them could not be read either, or part of the write-ahead log, or that had more behind
    /// its end.
    package var mayMissMore: Bool
    /// Entries that were settled before and whose receipts could not be read.
    package var lostReceipts: Int
    /// Where the damaged files lie.
    package var folder = ""

    private enum CodingKeys: String, CodingKey { case at, reason, saved, quarantined, missing, mayMissMore, lostReceipts }

    static let fileName = "report.json"

    /// The folder, in a state directory, of all that was put aside.
    static func folder(in directory: String) -> String { directory + "/damaged" }

    /// Of every store in `directory` that was damaged and is still there to be looked at, oldest first.
    package static func all(in directory: String) -> [SalvageReport] {
        let folder = folder(in: directory)
        // `try?`: where there is no such folder, nothing was ever damaged.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { SalvageReport(folder: folder + "/" + $0) }
    }

    init(at: Date, reason: String) {
        (self.at, self.reason) = (at, reason)
        (saved, quarantined, missing, mayMissMore, lostReceipts) = (0, 0, 0, false, 0)
    }

    init?(folder: String) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // `try?`: a folder without a report that can be read is an unfinished one, or not ours.
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
