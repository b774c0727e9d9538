/// The lanes of an entry for any id of its row.
package struct SubjectLanes: Hashable, Sendable {
    /// The texts between the places of the id.
    private let lane: [String]
    private let after: [String]?

    /// `placeholder` stands for the row's id in `lane` and `after`, and occurs nowhere else in them. Not empty.
    package init(lane: Lane, after: Lane? = nil, placeholder: RosterID) {
        self.lane = lane.rawValue.split(at: placeholder.rawValue)
        self.after = after?.rawValue.split(at: placeholder.rawValue)
    }

    package func lane(for id: RosterID) -> Lane { Lane(lane.joined(separator: id.rawValue)) }

    package func after(for id: RosterID) -> Lane? { after.map { Lane($0.joined(separator: id.rawValue)) } }
}

extension String {
    /// The texts before, between and after the occurrences of `part`, byte for byte.
    fileprivate func split(at part: String) -> [String] {
        precondition(!part.isEmpty)
        let (text, part) = (Array(utf8), Array(part.utf8))
        var (texts, start, index) = ([String](), 0, 0)
        while index + part.count <= text.count {
            guard text[index] == part[0], text[index..<index + part.count].elementsEqual(part) else {
                index += 1
                continue
            }
            texts.append(String(decoding: text[start..<index], as: UTF8.self))
            index += part.count
            start = index
        }
        return texts + [String(decoding: text[start...], as: UTF8.self)]
    }
}
