import Foundation
import Sandbox
import SyncModel

/// A file that `homing backup` may have written, examined without Homing's own reader.
struct BackupFile: Sendable {
    let path: String

    /// Bytes of the checksum at the end.
    private static let checksumSize = 32

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// True if the last bytes are the SHA-256 of all others.
    var isWhole: Bool {
        get throws {
            let content = try bytes
            guard content.count > Self.checksumSize else { return false }
            let sum = content.suffix(Self.checksumSize).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return LedgerEntry.digest(of: Array(content.dropLast(Self.checksumSize))) == sum
        }
    }

    /// Writes the pages without the checksum to a new file for its owner alone.
    func copyPages(to other: String) throws {
        try Data(bytes.dropLast(Self.checksumSize)).write(to: URL(fileURLWithPath: other))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
    }

    /// What can happen to a backup on its way. A restore must refuse the result.
    enum Damage: String, CaseIterable, Sendable {
        case cut = "backups cut at some byte"
        case changed = "backups with a changed bit"
        case longer = "backups with more bytes at the end"
        case empty = "empty backups"
    }

    /// Writes a damaged copy, which must not be whole.
    func copy(with damage: Damage, to other: String, using dice: inout SplitMix64) throws -> BackupFile {
        var content = try bytes
        switch damage {
        case .cut: content.removeLast(Int.random(in: 1..<content.count, using: &dice))
        case .changed: content[Int.random(in: 0..<content.count, using: &dice)] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case .longer: content += [0]
        case .empty: content = []
        }
        try Data(content).write(to: URL(fileURLWithPath: other))
        return BackupFile(path: other)
    }

    private var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } }
}
