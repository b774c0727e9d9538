import ControlAPI
import SyncModel

/// Entries of one kind, such as new people, and their number.
struct EntryKind: Equatable {
    var title: RosterTitle
    var count: Int

    /// How sentences name entries of any kind.
    static let entry = RosterTitle(one: "entry", many: "entries")

    /// How sentences name the entries of the drop folder's route.
    static let capture = RosterTitle(one: "capture", many: "captures", kind: .capture, word: "capture")
}

/// By backend and state.
typealias EntryKinds = [String: [Entry.State: [EntryKind]]]

extension EntryKinds {
    static var waiting: [Entry.State] { [.pending, .inflight] }

    /// - Parameter files: dropped files that count too.
    func at(_ backends: [BackendReport], in states: [Entry.State], files: Int = 0) -> [EntryKind] {
        let entries = backends.flatMap { backend in states.flatMap { self[backend.name]?[$0] ?? [] } }
        return (entries + [EntryKind(title: EntryKind.capture, count: files)]).merged
    }
}

extension [EntryKind] {
    /// Those with the same words together, the most frequent first.
    var merged: [EntryKind] {
        var all: [EntryKind] = []
        for kind in self where kind.count > 0 {
            if let index = all.firstIndex(where: { $0.title.one == kind.title.one && $0.title.many == kind.title.many }) {
                all[index].count += kind.count
            } else {
                all.append(kind)
            }
        }
        return all.sorted { $0.count == $1.count ? $0.title.one < $1.title.one : $0.count > $1.count }
    }
}

extension RosterTitle {
    func counted(_ number: Int) -> String { "\(number) \(number == 1 ? one : many)" }
}
