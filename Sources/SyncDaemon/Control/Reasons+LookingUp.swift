import ControlAPI
import Outbox
import SyncModel

extension Reasons {
    /// Looking it up failed several times in a row.
    func isStuck(_ entry: Entry) -> Bool { entry.uncertain && route.canLookUp && entry.looks >= Outbox.stuckLooks }

    /// Nil unless the server answered that the look-up's path does not exist: then no later look-up can tell either.
    ///
    /// - Parameter again: when or how Homing looks again.
    func unfindable(_ entry: Entry, sentence again: String = "", command: String) -> Finding? {
        guard route.canLookUp, entry.looks > 0, entry.lastReason == .serverError, let status = entry.lastStatus,
            [404, 410].contains(status)
        else {
            return nil
        }
        let backend = entry.destination.backend
        let row = route.looksUpRow ? subjectReport : nil
        let title = rowTitle ?? "row"
        let cause =
            row == nil
            ? "answered the look-up with status \(status)" : "answered the look-up as if the \(title) no longer existed (\(status))"
        var lines = [
            "If you know that it was delivered, run: \(resolve(entry))",
            "If you know that it was not, run: homing resolve \(entry.id) --not-delivered\nHoming then sends it again.",
        ]
        if let way = row.flatMap({ redirecting("\(entry.id)", $0.field, title) }) {
            lines.append("If \(backend) refuses it then, to \(way.purpose), run: \(way.command)")
        }
        lines.append("To look it up again, run: \(command)")
        return Finding(
            .of(.lookUpImpossible) { ($0.status, $0.at) = (status, entry.dueAt) },
            "\(subject(entry, "This")) may already have taken effect at \(backend). \(backend) \(cause), so it cannot be seen whether the entry was delivered.\(again)",
            .required(lines.joined(separator: "\n")))
    }

    /// The option of `homing fix` for that field.
    static func option(for field: String) -> String { field == "user_id" ? "--user USER" : "--item \(field)=VALUE" }
}
