import ControlAPI
import Foundation
import Logging
import Outbox

extension SalvageReport {
    var sentence: String {
        "The store was damaged on \(at.formatted(Self.day)). All that can be read was saved\(gains)\(losses)."
    }

    private var gains: String {
        saved == 0 ? "" : ", with \(saved == 1 ? "the 1 capture that had" : "the \(saved) captures that had") not gone up"
    }

    /// In the station's time zone. The folder name contains the time.
    private static let day = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: "en_GB"))

    private var losses: String {
        var losses: [String] = []
        if quarantined > 0 {
            losses.append("\(StatusSummary.captures(quarantined)) \(quarantined == 1 ? "is" : "are") held because parts cannot be read")
        }
        if missing > 0 { losses.append("\(StatusSummary.captures(missing)) \(missing == 1 ? "is" : "are") missing") }
        if mayMissMore { losses.append(missing > 0 ? "more may be" : "some captures may be missing") }
        return losses.isEmpty ? "; none is missing" : "; " + losses.joined(separator: ", ")
    }

    func log(to log: Logger) {
        log.critical(
            "The store was damaged; what can be read was saved into a new one",
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
                "Compare ‘homing list’ with what was captured, and hand in again what is missing; what is there already is recognised by its id."
            )
        }
        if report.quarantined > 0 { next.append("See what is held with ‘homing list --state held’.") }
        next.append(
            "Have the disk and the memory tested. The damaged files are in \(report.folder); once they have been looked at, move that folder away, and this notice ends."
        )
        self.init(code: "store-damaged", text: report.sentence, next: next.joined(separator: " "))
    }
}
