import ControlAPI

enum ResolveText {
    static func done(_ entry: EntrySummary, delivered: Bool, remoteID: String?) -> String {
        let name = "The \(entry.words)"
        let id = EntryText.shortID(entry.id)
        guard delivered else {
            let again = "\(name) counts as not delivered. Homing sends it again, up to three times.".printable
            return ([again] + EntryText.overwriting([entry])).joined(separator: "\n")
        }
        let number = remoteID.map { " with the server id \($0)" } ?? ""
        return """
            \(name) counts as delivered\(number). Homing does not send it again, and its payload is destroyed.
            To see the receipt, run: homing receipt \(id)
            """.printableLines
    }
}
