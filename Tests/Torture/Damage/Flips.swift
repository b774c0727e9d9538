import Delivery
import Foundation

/// Bytes that change by themselves, and sectors of the store that turn to zeros.
enum Flips {
    static let store: Set = ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm"]
    private static let sector = 512

    /// Flips a few bytes of a few files of a state directory, but for the key and what is dropped; the names of those files.
    static func inState(_ state: String, sparing spared: Set<String>, _ generator: inout SplitMix64) throws -> [String] {
        let names = [
            "outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm", "sessions/breathesafe.session", "device-id", "crashed", "lock",
            "homing.key.check",
        ]
        let chosen = names.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        return try chosen.filter { name in
            guard !spared.contains(name), FileManager.default.fileExists(atPath: state + "/" + name) else { return false }
            return try inFile(state + "/" + name, atMost: 16, zeroing: store.contains(name), &generator) != nil
        }
    }

    /// Flips some bytes of a file; what it holds then, nil where it is empty.
    ///
    /// - Parameter zeroing: now and then a whole sector is zeroed instead.
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
        // In place: the owner and the permissions stay.
        try content.write(to: file)
        return content
    }
}
