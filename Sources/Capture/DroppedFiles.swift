/// The files of the drop folder at one moment.
package struct DroppedFiles: Sendable, Equatable {
    /// In `new/`, or taken but not stored.
    package var waiting = 0
    package var refused = 0
    /// Dropped while signed out.
    package var unclaimed = 0
    /// The first refused files, in order: at most `mostNames`.
    package var refusedNames: [String] = []
    /// Where those were dropped, below `new/`, by name; without those whose place is not known.
    package var refusedPlaces: [String: String] = [:]
    /// Where the first unclaimed file was dropped, below `new/`; nil for none.
    package var firstUnclaimed: String?

    static let mostNames = 20
}
