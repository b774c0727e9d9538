import Foundation
import SyncModel

/// One value within a JSON document: its kind and its bytes, read only where asked for.
package struct JSONElement: Sendable {
    package enum Kind: Sendable { case object, array, string, number, bool, null }

    package let kind: Kind
    /// The value's own bytes, exactly as they are in the document.
    package let bytes: Data

    /// The value as a scalar; nil for an object, an array and null.
    package var scalar: JSONValue? {
        switch kind {
        case .object, .array, .null: nil
        case .bool: .bool(bytes.first == UInt8(ascii: "t"))
        case .number: JSONValue(number: String(decoding: bytes, as: UTF8.self))
        case .string: bytes.scanned { $0.readString() }.map(JSONValue.string)
        }
    }

    /// The number where it is whole and fits, also where it is written as `5.0`.
    package var whole: Int64? {
        guard kind == .number, let scalar else { return nil }
        if case .int(let number) = scalar { return number }
        return scalar.text.flatMap(Double.init).flatMap { Int64(exactly: $0) }
    }

    /// The members of an object in their order, with every repetition; empty for anything else.
    package var members: [(name: String, value: JSONElement)] {
        guard kind == .object else { return [] }
        return bytes.scanned { scanner in
            var members: [(String, JSONElement)] = []
            scanner.forEachMember { name, scanner in members.append((name, scanner.readElement(of: bytes))) }
            return members
        } ?? []
    }

    /// The elements of an array; empty for anything else.
    package var elements: [JSONElement] {
        guard kind == .array else { return [] }
        return bytes.scanned { scanner in
            var elements: [JSONElement] = []
            scanner.forEachElement { scanner in
                elements.append(scanner.readElement(of: bytes))
                return true
            }
            return elements
        } ?? []
    }

    /// The value at `pointer` below this one, the last of members with the same name; nil where there is none.
    package func element(at pointer: JSONPointer) -> JSONElement? {
        bytes.scanned { scanner in
            for token in pointer.tokens {
                scanner.skipSpace()
                guard scanner.descend(to: token) else { return nil }
            }
            return scanner.readElement(of: bytes)
        } ?? nil
    }

    /// Calls `body` with every element of an array, without keeping them; false where this is no array.
    func forEachElement(_ body: (JSONElement) -> Bool) -> Bool {
        guard kind == .array else { return false }
        _ = bytes.scanned { scanner in scanner.forEachElement { body($0.readElement(of: bytes)) } }
        return true
    }
}

extension JSONScanner {
    /// Reads the value that begins here; `document` is what is being scanned.
    mutating func readElement(of document: Data) -> JSONElement {
        skipSpace()
        let start = at
        let kind: JSONElement.Kind =
            switch next {
            case .openBrace: .object
            case .openBracket: .array
            case .quote: .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
            case UInt8(ascii: "n"): .null
            default: .number
            }
        skipValue()
        return JSONElement(kind: kind, bytes: document[document.startIndex + start..<document.startIndex + at])
    }

    /// Calls `body` at the value of every member; it has to read or skip that value.
    mutating func forEachMember(_ body: (String, inout JSONScanner) -> Void) {
        guard take(.openBrace), !take(.closeBrace) else { return }
        repeat {
            skipSpace()
            let name = readString()
            guard take(UInt8(ascii: ":")) else { return }
            body(name, &self)
        } while take(UInt8(ascii: ","))
    }

    /// Calls `body` at every element, which it has to read or skip, until it returns false.
    mutating func forEachElement(_ body: (inout JSONScanner) -> Bool) {
        guard take(.openBracket), !take(.closeBracket) else { return }
        repeat { guard body(&self) else { return } } while take(UInt8(ascii: ","))
    }

    /// Moves to the member or element called `token` of the value that begins here; false where there is none.
    mutating func descend(to token: String) -> Bool {
        var place: Int?
        switch next {
        case .openBrace:
            forEachMember { name, scanner in
                scanner.skipSpace()
                if name.utf8.elementsEqual(token.utf8) { place = scanner.at }
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
    /// Scans these bytes, which are known to be one JSON value.
    func scanned<T>(_ body: (inout JSONScanner) -> T) -> T? {
        withUnsafeBytes { raw in
            var scanner = JSONScanner(raw.bindMemory(to: UInt8.self))
            return body(&scanner)
        }
    }
}
