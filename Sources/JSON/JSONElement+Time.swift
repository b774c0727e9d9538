import Foundation
import SyncModel

extension JSONElement {
    /// A number of Unix seconds as a date; nil for anything else.
    package var unixTime: Date? {
        guard kind == .number, let seconds = scalar?.text.flatMap(Double.init), seconds.isFinite else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The capture's `timestamp`, or that of the enclosing file; nil if neither is a number.
    package var captureTime: Date? {
        let places = [["measurements", "timestamp"], ["timestamp"]].map { JSONPointer(tokens: $0) }
        return places.lazy.compactMap { self.element(at: $0)?.unixTime }.first
    }
}
