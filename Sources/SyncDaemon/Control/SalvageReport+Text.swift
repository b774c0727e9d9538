import Foundation
import Logging
import Salvage

extension SalvageReport {
    var sentence: String {
        isOfMissingStore
            ? "The store was missing on \(at.formatted(Self.day)): its files were deleted or moved away. Homing began an empty one, so entries may be missing."
            : "The store was damaged on \(at.formatted(Self.day)). All readable data was saved\(gains)\(losses)."
    }

    private var gains: String {
        Count(some: saved, EntryKind.entry).map { ", including \($0) not yet delivered" } ?? ""
    }

    /// In the station's time zone. The folder name contains the time.
    private static let day = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: "en_GB"))

    private var losses: String {
        var losses: [String] = []
        if let held = Count(some: unreadable, EntryKind.entry) { losses.append("\(held) \(held.are) on hold because parts cannot be read") }
        if let lost = Count(some: missing, EntryKind.entry) { losses.append("\(lost) \(lost.are) missing") }
        if mayMissMore { losses.append(missing > 0 ? "more may be" : "some entries may be missing") }
        return losses.isEmpty ? "; none is missing" : "; " + losses.joined(separator: ", ")
    }

    func log(to log: Logger) {
        log.critical(
            isOfMissingStore
                ? "The store is missing, so an empty one was begun"
                : "The store was damaged; its readable data was saved into a new store",
            metadata: [
                "reason": "\(reason)", "saved": "\(saved)", "unreadable": "\(unreadable)", "missing": "\(missing)",
                "mayMissMore": "\(mayMissMore)", "lostReceipts": "\(lostReceipts)", "folder": "\(folder)",
            ])
    }
}
