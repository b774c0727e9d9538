/// Why a backup cannot be made or restored. The description is a message with the next step.
package enum BackupError: Error, Equatable, Sendable {
    /// Bytes: of the copy, and free on the disk. The copy would leave the disk nearly full.
    case noRoom(needed: Int64, free: Int64)
    /// Not a file of `homing backup`.
    case notABackup
    /// As the second half of a sentence.
    case damaged(String)
    /// Another version of Homing made it, with other tables.
    case otherVersion(String)
    /// Another key sealed it.
    case wrongKey
}

extension BackupError: CustomStringConvertible {
    package var description: String { "\(sentence) \(next)" }

    package var sentence: String {
        switch self {
        case .noRoom(let needed, let free):
            "A backup of the store takes \(Self.size(needed)), and \(Self.size(free)) are free on its disk. Homing keeps a part of that for new entries."
        case .notABackup: "The file is not a backup of Homing. Expected an unchanged file that ‘homing backup’ has written."
        case .damaged(let words): "The backup is damaged: \(words)."
        case .otherVersion(let version): "Version \(version) of Homing made the backup, and its tables are not those of this version."
        case .wrongKey: "The key is not the one of the station that made the backup, so nothing in it could be decrypted."
        }
    }

    package var next: String {
        switch self {
        case .noRoom: "Free some space on that disk, then repeat the command."
        case .notABackup: "Name that file."
        case .damaged: "Use another copy of it, or an older backup."
        case .otherVersion(let version): "Install version \(version), restore the backup, and then upgrade."
        case .wrongKey: "Name your copy of the homing.key that the station had then: --key PATH"
        }
    }

    private static func size(_ bytes: Int64) -> String { "\((bytes + (1 << 20) - 1) >> 20) MiB" }
}
