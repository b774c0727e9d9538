import Foundation
import SyncModel

/// An array of arrays, read in one pass: an element per value would take most of the time.
extension JSONElement {
    /// Passes the first `count` scalars of each row to `body` until that returns false. Null stands for an object or an array.
    package func forEachRow(first count: Int, _ body: (_ scalars: [JSONValue], _ place: Int) -> Bool) {
        guard kind == .array else { return }
        _ = bytes.scanned(spans) { scanner in
            scanner.forEachElement { scanner in
                scanner.skipSpace()
                let place = scanner.at
                let scalars = scanner.readScalars(first: count)
                scanner = scanner.moved(to: place)
                scanner.skipValue()
                return body(scalars, place)
            }
        }
    }

    /// All scalars of the row at a place that `forEachRow` gave.
    package func scalars(at place: Int) -> [JSONValue] {
        bytes.scanned(spans) { scanner in
            scanner = scanner.moved(to: place)
            return scanner.readScalars(first: .max)
        } ?? []
    }
}

extension JSONScanner {
    /// Empty for anything but an array.
    fileprivate mutating func readScalars(first count: Int) -> [JSONValue] {
        var scalars: [JSONValue] = []
        forEachElement { scanner in
            scalars.append(scanner.readScalar())
            return scalars.count < count
        }
        return scalars
    }
}
