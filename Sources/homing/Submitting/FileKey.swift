import ControlAPI
import Crypto
import Foundation
import Glibc
import SyncModel

/// The identity of an unchanged file. It knows nothing of the content: an id stays in the clear, and must not tell a measurement
/// (Decisions/KeyedDigests.md).
struct FileKey: Equatable {
    private let facts: String

    /// Nil for anything but a regular file on a file system with lasting inode numbers. FAT and exFAT make them up at each mount, and on
    /// btrfs and network file systems the device number changes.
    ///
    /// - Parameter kind: the type of the file system with a device number.
    init?(
        _ file: FileHandle, kind: (UInt64) -> String? = { MountedFileSystem(device: $0, in: MountedFileSystem.table)?.type }
    ) {
        var info = stat()
        guard fstat(file.fileDescriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG,
            let fileSystem = kind(UInt64(info.st_dev)), Self.lasting.contains(fileSystem)
        else { return nil }
        facts = "\(info.st_dev) \(info.st_ino) \(info.st_size) \(info.st_mtim.tv_sec) \(info.st_mtim.tv_nsec)"
    }

    private static let lasting: Set = ["ext2", "ext3", "ext4", "xfs"]

    /// The id for this submission of the file: the same again, unless the file, the account or an option differs.
    func id(of submission: Submission, at backend: String, for account: String) -> MutationID {
        let time = submission.capturedAt.map(JSONCoding.text) ?? ""
        let fields = submission.fields.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let parts = [facts, backend, account, submission.route, submission.supersedes ?? "", time] + fields
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return MutationID(digest: SHA256.hash(data: Data(text.utf8)))
    }
}
