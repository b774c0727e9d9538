import Foundation
import SyncModel

/// A JSON document that stays its bytes and is read only where one looks: an answer may repeat the largest payload, as a tree of which it
/// would take twenty times its memory. Of members with the same name the last one counts, as at most servers.
package struct JSONDocument: Sendable {
    package let root: JSONElement

    /// Nil where `bytes` are not JSON, at any number of levels. A byte order mark is skipped (RFC 8259 8.1).
    package init?(_ bytes: Data) {
        let bytes = bytes.withoutByteOrderMark
        // `try?`: only whether it is JSON matters here.
        guard (try? JSONSyntax.check(bytes, .answer)) != nil else { return nil }
        self.init(checked: bytes)
    }

    /// Bytes that are known to be JSON.
    package init(checked bytes: Data) {
        root = bytes.scanned { $0.readElement(of: bytes) } ?? JSONElement(kind: .null, bytes: bytes)
    }

    /// What a pointer leads to.
    package enum Resolution: Hashable {
        case scalar(JSONValue)
        /// An object or an array.
        case structure
        /// A null stands there, or on the way: the document says that there is no such value.
        case null
        /// The document does not speak of it.
        case missing

        package var value: JSONValue? { if case .scalar(let value) = self { value } else { nil } }
    }

    package func resolve(_ pointer: JSONPointer) -> Resolution { root.resolve(pointer) }

    /// The scalar at `pointer`; nil for null, a structure, and nothing.
    package func at(_ pointer: JSONPointer) -> JSONValue? { resolve(pointer).value }

    /// The scalar member `key` of the root; nil for null, a structure, and nothing.
    package func member(_ key: String) -> JSONValue? { at(JSONPointer(tokens: [key])) }

    /// The scalar at the first of `pointers` that leads to one.
    package func at(_ pointers: [JSONPointer]) -> JSONValue? { pointers.lazy.compactMap { at($0) }.first }

    /// The first *string* at one of `pointers`.
    package func firstString(at pointers: [JSONPointer]) -> String? { pointers.lazy.compactMap { at($0)?.string }.first }

    /// Whether something other than null stands there.
    package func has(_ pointer: JSONPointer) -> Bool {
        switch resolve(pointer) {
        case .scalar, .structure: true
        case .null, .missing: false
        }
    }

    /// For every element of the list at `pointer` the scalars at `columns`; nil where there is no list.
    package func rows(of pointer: JSONPointer, _ columns: [JSONPointer]) -> [[JSONValue?]]? {
        guard let list = root.element(at: pointer), list.kind == .array else { return nil }
        return list.elements.map { item in columns.map { item.resolve($0).value } }
    }
}

extension JSONElement {
    func resolve(_ pointer: JSONPointer) -> JSONDocument.Resolution {
        let found: JSONElement?? = bytes.scanned { scanner in
            for token in pointer.tokens {
                scanner.skipSpace()
                // A null on the way says that nothing is below it.
                if scanner.next == UInt8(ascii: "n") { break }
                guard scanner.descend(to: token) else { return nil }
            }
            return scanner.readElement(of: bytes)
        }
        guard let found = found ?? nil else { return .missing }
        return found.kind == .null ? .null : found.scalar.map(JSONDocument.Resolution.scalar) ?? .structure
    }
}
