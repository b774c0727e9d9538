import Foundation
import SyncModel

extension JSONElement {
    /// The moment that a number of Unix seconds names; nil for anything else.
    package var unixTime: Date? {
        guard kind == .number, let seconds = scalar?.text.flatMap(Double.init), seconds.isFinite else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// When a capture was made: its own `timestamp`, or else that of the capture app's file around it; nil where neither is a number.
    package var captureTime: Date? {
        let places = [["measurements", "timestamp"], ["timestamp"]].map { JSONPointer(tokens: $0) }
        return places.lazy.compactMap { self.element(at: $0)?.unixTime }.first
    }
}
