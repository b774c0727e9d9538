import ArgumentParser
import ControlAPI

enum EntryState: String, CaseIterable, ExpressibleByArgument {
    case pending, inflight, held, dead, delivered, discarded

    /// Also accepts the words shown in the list.
    init?(argument: String) {
        guard let state = Self.allCases.first(where: { [$0.rawValue, Words.state($0.rawValue)].contains(argument) }) else { return nil }
        self = state
    }

    /// The word for `--state`: `failed` for `dead`.
    var argument: String { self == .dead ? Words.state(rawValue) : rawValue }

    static var allValueStrings: [String] { allCases.map(\.argument) }
}
