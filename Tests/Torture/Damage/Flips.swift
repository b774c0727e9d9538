import Foundation
import SyncModel

struct Change: CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case flipped = "flipped bytes of"
        case cut = "cut off"
        case zeroed = "zeroed to its end"
        case removed
    }
    let file: String
    var kind = Kind.flipped

    var description: String { "\(kind.rawValue) \(file)" }
}

enum Flips {
    static let store: Set = ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm", "outbox.sqlite.use"]
    static let keyring = "homing.keyring"
    private static let sector = 512

    /// Spares the key and dropped files.
    static func inState(_ state: String, sparing spared: Set<String>, _ generator: inout SplitMix64) throws -> [Change] {
        let names = [
            "outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm", "outbox.sqlite.use", "device-id", "crashed",
            "lock", keyring,
        ]
        var chosen = names.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        // The keyring has one copy, in the store. Homing does not promise to survive the loss of both.
        if chosen.contains(where: store.contains) { chosen.removeAll { $0 == keyring } }
        return try chosen.compactMap { name in
            let path = state + "/" + name
            guard !spared.contains(name), FileManager.default.fileExists(atPath: path) else { return nil }
            if Int.random(in: 0..<3, using: &generator) == 0 { return try lose(name, in: state, &generator) }
            return try inFile(path, atMost: 16, zeroing: store.contains(name), &generator).map { _ in Change(file: name) }
        }
    }

    private static func lose(_ name: String, in state: String, _ generator: inout SplitMix64) throws -> Change? {
        let path = state + "/" + name
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        let kept = content.prefix(Int.random(in: 0...content.count, using: &generator))
        switch Change.Kind.allCases.dropFirst().randomElement(using: &generator) {
        case .cut where kept.count < content.count:
            try kept.write(to: URL(fileURLWithPath: path))
            return Change(file: name, kind: .cut)
        case .zeroed where kept.count < content.count:
            try (kept + Data(count: content.count - kept.count)).write(to: URL(fileURLWithPath: path))
            return Change(file: name, kind: .zeroed)
        case .removed:
            // Without any of these files the store counts as removed by a person, so one must stay.
            let others = ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite.use"].filter { $0 != name }.map { state + "/" + $0 }
            if store.contains(name), !others.contains(where: FileManager.default.fileExists(atPath:)) { return nil }
            try FileManager.default.removeItem(atPath: path)
            return Change(file: name, kind: .removed)
        default: return nil
        }
    }

    /// Returns the new content; nil if the file is empty.
    ///
    /// - Parameter zeroing: sometimes zero a sector instead.
    @discardableResult
    static func inFile(_ path: String, atMost most: Int, zeroing: Bool = false, _ generator: inout SplitMix64) throws -> Data? {
        let file = URL(fileURLWithPath: path)
        var content = try Data(contentsOf: file)
        guard !content.isEmpty else { return nil }
        for _ in 0..<Int.random(in: 1...most, using: &generator) {
            let place = Int.random(in: 0..<content.count, using: &generator)
            if zeroing, Int.random(in: 0..<16, using: &generator) == 0 {
                content.resetBytes(in: place / sector * sector..<min(content.count, (place / sector + 1) * sector))
            } else {
                content[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
        }
        // In place, to keep owner and permissions.
        try content.write(to: file)
        return content
    }
}
