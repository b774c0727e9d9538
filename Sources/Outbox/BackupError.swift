/// Why a backup cannot be made or restored. The description is a message with the next step.
package enum BackupError: Error, Equatable, Sendable {
    /// Bytes: of the copy, and free on the disk. The copy would leave the disk nearly full.
    case noRoom(needed: Int64, free: Int64)
    /// The store is gone, and its copy does not fit into this folder. The commands make room; none for a disk.
    case noSpareRoom(folder: String, needed: Int64, free: Int64, commands: [String])
    /// Not a file of `homing backup`.
    case notABackup
    /// The damage, as the second half of a sentence.
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
        case .noSpareRoom(let folder, let needed, let free, _):
            "The store is gone, so Homing makes the backup in \(folder) first. "
                + "It takes \(Self.size(needed)), and \(Self.size(free)) are free there."
        case .notABackup: "The file is not a backup of Homing. Expected an unchanged file that ‘homing backup’ has written."
        case .damaged(let words): "The backup is damaged: \(words)."
        case .otherVersion(let version): "Version \(version) of Homing made the backup, and its tables are not those of this version."
        case .wrongKey: "The key is not the one of the station that made the backup, so nothing in it could be decrypted."
        }
    }

    package var next: String {
        switch self {
        case .noRoom: "Free some space on that disk, then repeat the command."
        case .noSpareRoom(_, _, _, let commands):
            "Do not stop or restart the daemon: only it has the captures. "
                + (commands.isEmpty
                    ? "Free some space on that disk, then repeat the command."
                    : "To make room, run the following, then repeat the command:\n" + commands.joined(separator: "\n"))
        case .notABackup: "Name that file."
        case .damaged: "Use another copy of it, or an older backup."
        case .otherVersion(let version): "Install version \(version), restore the backup, and then upgrade."
        case .wrongKey: "Name your copy of the homing.key that the station had then: --key PATH"
        }
    }

    private static func size(_ bytes: Int64) -> String { "\((bytes + (1 << 20) - 1) >> 20) MiB" }
}
