import Foundation
import SyncModel

/// A value in a JSON document, parsed on access.
package struct JSONElement: Sendable {
    package enum Kind: Sendable { case object, array, string, number, bool, null }

    package let kind: Kind
    /// Unchanged from the document.
    package let bytes: Data
    /// The spans of the whole document.
    let spans: JSONSpans

    /// Nil for an object, an array and null.
    package var scalar: JSONValue? {
        switch kind {
        case .object, .array, .null: nil
        case .bool: .bool(bytes.first == UInt8(ascii: "t"))
        case .number: JSONValue(number: String(decoding: bytes, as: UTF8.self))
        case .string: bytes.scanned(spans) { $0.readString() }.map(JSONValue.string)
        }
    }

    /// An integer that fits, also if written as `5.0`.
    package var whole: Int64? {
        guard kind == .number, let scalar else { return nil }
        if case .int(let number) = scalar { return number }
        return scalar.text.flatMap(Double.init).flatMap { Int64(exactly: $0) }
    }

    /// Members in order, with duplicates. Lazy, because an array would take many times the document's memory.
    package var members: some Sequence<(name: String, value: JSONElement)> {
        sequence(state: JSONPlaces(of: self, .object)) { places in
            places.next { scanner, bytes in
                scanner.skipSpace()
                let name = scanner.readString()
                return scanner.take(UInt8(ascii: ":")) ? (name, scanner.readElement(of: bytes)) : nil
            }
        }
    }

    /// Lazy, like `members`.
    package var elements: some Sequence<JSONElement> {
        sequence(state: JSONPlaces(of: self, .array)) { places in places.next { scanner, bytes in scanner.readElement(of: bytes) } }
    }

    /// The last of duplicates; nil if missing.
    package func element(at pointer: JSONPointer) -> JSONElement? {
        bytes.scanned(spans) { scanner in
            for token in pointer.tokens {
                scanner.skipSpace()
                guard scanner.descend(to: token) else { return nil }
            }
            return scanner.readElement(of: bytes)
        } ?? nil
    }
}

/// A position in an object or array.
struct JSONPlaces {
    private let value: JSONElement
    /// The offset after the last member; nil at the end.
    private var place: Int?

    init(of value: JSONElement, _ kind: JSONElement.Kind) {
        self.value = value
        place = value.kind == kind ? 0 : nil
    }

    mutating func next<T>(_ read: (inout JSONScanner, Data) -> T?) -> T? {
        guard let place else { return nil }
        let found: (value: T, place: Int)?? = value.bytes.scanned(value.spans) { scanner in
            scanner = scanner.moved(to: place)
            guard place == 0 ? scanner.open() : scanner.take(.comma) else { return nil }
            return read(&scanner, value.bytes).map { ($0, scanner.at) }
        }
        self.place = (found ?? nil)?.place
        return (found ?? nil)?.value
    }
}

extension JSONScanner {
    /// - Parameter document: the scanned bytes.
    mutating func readElement(of document: Data) -> JSONElement {
        skipSpace()
        let (start, kind) = (at, nextKind)
        skipValue()
        return JSONElement(kind: kind, bytes: document[document.startIndex + start..<document.startIndex + at], spans: spans)
    }

    /// The whole document as a value, without a pass over it.
    mutating func wholeElement(of document: Data) -> JSONElement {
        skipSpace()
        let rest = document.dropFirst(at)
        let end = rest.lastIndex { !$0.isJSONSpace }.map { $0 + 1 } ?? rest.startIndex
        return JSONElement(kind: nextKind, bytes: rest[..<end], spans: spans)
    }

    private var nextKind: JSONElement.Kind {
        switch next {
        case .openBrace: .object
        case .openBracket: .array
        case .quote: .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Moves to the first member or element; false if empty.
    mutating func open() -> Bool {
        guard take(.openBrace) || take(.openBracket) else { return false }
        return !take(.closeBrace) && !take(.closeBracket)
    }

    /// `body` must read or skip each value.
    mutating func forEachMember(_ body: (String, inout JSONScanner) -> Void) {
        guard take(.openBrace), !take(.closeBrace) else { return }
        repeat {
            skipSpace()
            let name = readString()
            guard take(UInt8(ascii: ":")) else { return }
            body(name, &self)
        } while take(.comma)
    }

    /// `body` must read or skip each element, and returns false to stop.
    mutating func forEachElement(_ body: (inout JSONScanner) -> Bool) {
        guard take(.openBracket), !take(.closeBracket) else { return }
        repeat { guard body(&self) else { return } } while take(.comma)
    }

    /// Moves to the member or element `token`; false if missing.
    mutating func descend(to token: String) -> Bool {
        var place: Int?
        switch next {
        case .openBrace:
            forEachMember { name, scanner in
                scanner.skipSpace()
                if name.utf8.elementsEqual(token.utf8) {
                    if place != nil { scanner.hasMetRepetition = true }
                    place = scanner.at
                }
                scanner.skipValue()
            }
        case .openBracket:
            guard let index = Int(token), index >= 0, String(index) == token else { return false }
            var number = 0
            forEachElement { scanner in
                scanner.skipSpace()
                if number == index {
                    place = scanner.at
                    return false
                }
                number += 1
                scanner.skipValue()
                return true
            }
        default: break
        }
        guard let place else { return false }
        self = moved(to: place)
        return true
    }
}

extension Data {
    /// These bytes must be one valid JSON value.
    func scanned<T>(_ spans: JSONSpans, _ body: (inout JSONScanner) -> T) -> T? {
        withUnsafeBytes { raw in
            var scanner = JSONScanner(raw.bindMemory(to: UInt8.self), at: startIndex, spans)
            return body(&scanner)
        }
    }
}
