import Foundation
import SyncModel

extension JSONElement {
    /// Ignores extra members and other spellings of a number. Takes 8 bytes per member of the echo's objects.
    package func firstDifference(in echo: JSONElement) -> JSONPointer? {
        var path: [String] = []
        return differs(from: echo, &path) ? JSONPointer(tokens: path) : nil
    }

    private func differs(from echo: JSONElement, _ path: inout [String]) -> Bool {
        guard kind == echo.kind else { return true }
        // Most echoes repeat the bytes.
        if bytes == echo.bytes { return false }
        switch kind {
        case .object: return membersDiffer(from: echo, &path)
        case .array: return elementsDiffer(from: echo, &path)
        case .number:
            let texts = [self, echo].map { String(decoding: $0.bytes, as: UTF8.self) }
            // Doubles would hide differences of long integers. Without a fraction, only zero has two spellings.
            let areWhole = texts.allSatisfy { $0.utf8.allSatisfy { !".eE".utf8.contains($0) } }
            return areWhole && Set(texts) != ["0", "-0"] || Double(texts[0]) != Double(texts[1])
        // Not `==`, which ignores Unicode normalisation.
        case .string: return scalar?.string.map { Array($0.utf8) } != echo.scalar?.string.map { Array($0.utf8) }
        case .bool: return scalar != echo.scalar
        case .null: return false
        }
    }

    private func membersDiffer(from echo: JSONElement, _ path: inout [String]) -> Bool {
        let echoed = JSONMemberIndex(echo)
        for (name, value) in members {
            path.append(name)
            guard let other = echoed[name], !value.differs(from: other, &path) else { return true }
            path.removeLast()
        }
        return false
    }

    private func elementsDiffer(from echo: JSONElement, _ path: inout [String]) -> Bool {
        var others = echo.elements.makeIterator()
        for (index, value) in elements.enumerated() {
            path.append(String(index))
            guard let other = others.next(), !value.differs(from: other, &path) else { return true }
            path.removeLast()
        }
        return others.next() != nil
    }
}

/// Finds object members by name, with eight bytes per member.
private struct JSONMemberIndex {
    private let object: JSONElement
    /// Upper half: hash of the name; lower half: offset. Swift seeds its hashes, so a document cannot force collisions.
    private var places: [UInt64] = []

    init(_ object: JSONElement) {
        self.object = object
        places.reserveCapacity(object.members.reduce(0) { count, _ in count + 1 })
        var rest = JSONPlaces(of: object, .object)
        while let place = rest.next({ scanner, _ in
            scanner.skipSpace()
            let (start, name) = (scanner.at, scanner.readString())
            guard scanner.take(UInt8(ascii: ":")) else { return nil }
            scanner.skipValue()
            return Self.hash(name) << 32 | UInt64(start)
        }) as UInt64? { places.append(place) }
        places.sort()
    }

    subscript(name: String) -> JSONElement? {
        let hash = Self.hash(name)
        // The end of the places with this hash.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] >> 32 <= hash { low = middle + 1 } else { high = middle }
        }
        return places[..<low].reversed().lazy.prefix { $0 >> 32 == hash }.compactMap { value(of: name, at: Int($0 & 0xffff_ffff)) }.first
    }

    private func value(of name: String, at place: Int) -> JSONElement? {
        object.bytes.scanned(object.spans) { scanner in
            scanner = scanner.moved(to: place)
            guard scanner.readString().utf8.elementsEqual(name.utf8), scanner.take(UInt8(ascii: ":")) else { return nil }
            return scanner.readElement(of: object.bytes)
        } ?? nil
    }

    private static func hash(_ name: String) -> UInt64 {
        var (hasher, name) = (Hasher(), name)
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(UInt32(truncatingIfNeeded: hasher.finalize()))
    }
}
