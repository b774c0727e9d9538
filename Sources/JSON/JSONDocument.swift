import Foundation
import SyncModel

/// A JSON document, parsed on access: a tree of the largest answers would take twenty times their memory. The last of duplicate members
/// counts, as at most servers (ReadingJSON).
package struct JSONDocument: Sendable {
    package let root: JSONElement

    /// Nil unless `bytes` are JSON of any depth. Skips a byte order mark (RFC 8259 8.1).
    package init?(_ bytes: Data) {
        // `try?`: only validity matters here.
        guard let (document, _) = try? JSONSyntax.document(bytes.withoutByteOrderMark, .answer) else { return nil }
        self = document
    }

    /// - Parameter bytes: valid JSON.
    package init(checked bytes: Data) { self.init(bytes, [:]) }

    init(_ bytes: Data, _ spans: JSONSpans) {
        root = bytes.scanned(spans) { $0.wholeElement(of: bytes) } ?? JSONElement(kind: .null, bytes: bytes, spans: spans)
    }

    package enum Resolution: Hashable {
        case scalar(JSONValue)
        case structure
        /// The value or one of its parents is null.
        case null
        /// The document has no such value.
        case missing

        package var value: JSONValue? { if case .scalar(let value) = self { value } else { nil } }
    }

    package func resolve(_ pointer: JSONPointer) -> Resolution { root.resolve(pointer) }

    package func at(_ pointer: JSONPointer) -> JSONValue? { resolve(pointer).value }

    package func member(_ key: String) -> JSONValue? { at(JSONPointer(tokens: [key])) }

    package func at(_ pointers: [JSONPointer]) -> JSONValue? { pointers.lazy.compactMap { at($0) }.first }

    /// The first *string* at one of `pointers`.
    package func firstString(at pointers: [JSONPointer]) -> String? { pointers.lazy.compactMap { at($0)?.string }.first }

    /// True for a value other than null.
    package func has(_ pointer: JSONPointer) -> Bool {
        switch resolve(pointer) {
        case .scalar, .structure: true
        case .null, .missing: false
        }
    }

    /// The scalars at `columns` of each element; nil without a list. An element with a duplicate member on the way has none: other readers
    /// may take the first.
    package func rows(of pointer: JSONPointer, _ columns: [JSONPointer]) -> [[JSONValue?]]? {
        guard let list = root.element(at: pointer), list.kind == .array else { return nil }
        return list.elements.map { item in
            var isAmbiguous = false
            let values = columns.map { item.resolve($0, &isAmbiguous).value }
            return isAmbiguous ? columns.map { _ in nil } : values
        }
    }
}

extension JSONElement {
    func resolve(_ pointer: JSONPointer) -> JSONDocument.Resolution {
        var isAmbiguous = false
        return resolve(pointer, &isAmbiguous)
    }

    /// `isAmbiguous` is set if an object has a member on the way twice.
    fileprivate func resolve(_ pointer: JSONPointer, _ isAmbiguous: inout Bool) -> JSONDocument.Resolution {
        let found: JSONElement?? = bytes.scanned(spans) { scanner in
            defer { isAmbiguous = isAmbiguous || scanner.hasMetRepetition }
            for token in pointer.tokens {
                scanner.skipSpace()
                if scanner.next == UInt8(ascii: "n") { break }
                guard scanner.descend(to: token) else { return nil }
            }
            return scanner.readElement(of: bytes)
        }
        guard let found = found ?? nil else { return .missing }
        return found.kind == .null ? .null : found.scalar.map(JSONDocument.Resolution.scalar) ?? .structure
    }
}
