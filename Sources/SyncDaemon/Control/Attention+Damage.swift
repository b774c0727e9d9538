import ControlAPI
import Foundation
import Logging
import Salvage

extension SalvageReport {
    var sentence: String {
        "The store was damaged on \(at.formatted(Self.day)). All readable data was saved\(gains)\(losses)."
    }

    private var gains: String {
        saved == 0 ? "" : ", including \(StatusSummary.captures(saved)) not yet delivered"
    }

    /// In the station's time zone. The folder name contains the time.
    private static let day = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: "en_GB"))

    private var losses: String {
        var losses: [String] = []
        if quarantined > 0 {
            losses.append("\(StatusSummary.captures(quarantined)) \(quarantined == 1 ? "is" : "are") on hold because parts cannot be read")
        }
        if missing > 0 { losses.append("\(StatusSummary.captures(missing)) \(missing == 1 ? "is" : "are") missing") }
        if mayMissMore { losses.append(missing > 0 ? "more may be" : "some captures may be missing") }
        return losses.isEmpty ? "; none is missing" : "; " + losses.joined(separator: ", ")
    }

    func log(to log: Logger) {
        log.critical(
            "The store was damaged; its readable data was saved into a new store",
            metadata: [
                "reason": "\(reason)", "saved": "\(saved)", "quarantined": "\(quarantined)", "missing": "\(missing)",
                "mayMissMore": "\(mayMissMore)", "lostReceipts": "\(lostReceipts)", "folder": "\(folder)",
            ])
    }
}

extension Attention {
    /// - Parameter report: shown until its folder is moved away.
    init(damage report: SalvageReport) {
        var next: [String] = []
        if report.missing > 0 || report.mayMissMore {
            next.append(
                "Compare ‘homing list’ with your records, and submit missing captures again; Homing recognises those that it has by their ids."
            )
        }
        if report.quarantined > 0 { next.append("See the entries on hold with ‘homing list --state held’.") }
        next.append(
            "Have the disk and the memory tested. The damaged files are in \(report.folder). To end this notice, move that folder away."
        )
        self.init(.storeDamaged, text: report.sentence, next: next.joined(separator: " "))
    }
}
