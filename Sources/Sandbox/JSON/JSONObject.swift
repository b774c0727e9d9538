/// The members of a JSON object in the order in which they came; the last of two members with one name wins.
package struct JSONObject: Sendable, Equatable {
    private(set) var members: [(name: String, value: JSON)] = []
    private var places: [String: Int] = [:]

    /// An object of these members.
    package init(_ members: [(String, JSON)] = []) {
        for (name, value) in members { self[name] = value }
    }

    /// The names of the members.
    package var names: [String] { members.map(\.name) }
    /// Whether there are no members.
    package var isEmpty: Bool { members.isEmpty }

    /// The member of this name; setting nil removes it.
    package subscript(name: String) -> JSON? {
        get { places[name].map { members[$0].value } }
        set {
            switch (places[name], newValue) {
            case (let place?, let value?): members[place].value = value
            case (nil, let value?):
                places[name] = members.count
                members.append((name, value))
            case (_?, nil):
                members.removeAll { $0.name == name }
                places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
            case (nil, nil): break
            }
        }
    }

    /// These members, followed or replaced by others.
    package func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in other.members { merged[name] = value }
        return merged
    }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}
