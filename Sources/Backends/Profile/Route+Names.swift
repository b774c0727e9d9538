import JSON
import SyncModel

extension Route {
    /// Throws if the payload would leave the row that an entry creates without a name: all members of its label are blank.
    func checkNames(_ payload: JSONDocument, _ fields: [String: JSONValue], of resource: Resource) throws(Failure) {
        guard let subject = references.first?.field, let id = fields[subject]?.string, RosterID(id).reference != nil else { return }
        let names = resource.label.compactMap { $0.tokens.count == 1 ? $0.tokens.first : nil }
        guard !names.isEmpty, names.count == resource.label.count else { return }
        // The last of several members with one name counts.
        var blank: [String: Bool] = [:]
        for (member, value) in payload.root.members where names.contains(member) {
            blank[member] = value.kind == .null || value.kind == .string && value.scalar?.string?.isInvisible == true
        }
        guard names.allSatisfy({ blank[$0] == true }) else { return }
        let list = names.map { $0.replacing("_", with: " ") }.joined(separator: " and the ")
        let verb = names.count == 1 ? "is" : "are"
        throw Failure(.profile, "The \(list) \(verb) blank. A new \(resource.title.one) needs a name.")
    }
}
