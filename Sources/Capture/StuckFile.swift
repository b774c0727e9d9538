import Glibc
import SystemPackage

/// A file that cannot be taken and needs a person.
package struct StuckFile: Sendable, Equatable {
    package var path: String
    /// Without a full stop; may be the system's error text.
    package var reason: String
    /// What to do next, as a sentence.
    package var next: String
}

extension StuckFile {
    enum Cause: Error, Equatable {
        case system(Errno)
        case unwritable(FilePath, Errno)
        case unlistable(Errno)
        case noBackend(String)
        /// Bound to this account, which is not signed in.
        case otherAccount(String)
        /// Free bytes needed.
        case diskFull(needs: Int64)
        /// In bytes.
        case overLimit(Int64)
        /// A file of its lane without room.
        case behind(FilePath)
        /// Made by mkstemp(3), or moved from a folder that restricts it.
        case unreadable(opensByMode: Bool)
        /// The file has a second hard link.
        case linked
        case link, folder, special

        /// True if the daemon failed to take a file, until the file is gone; false for other kinds.
        var isFailure: Bool {
            switch self {
            case .system, .unwritable, .noBackend, .otherAccount, .diskFull, .overLimit, .behind, .unreadable, .linked: true
            case .unlistable, .link, .folder, .special: false
            }
        }

        /// Evaluated anew in each sweep.
        var isForWantOfRoom: Bool {
            switch self {
            case .diskFull, .overLimit, .behind: true
            default: false
            }
        }

        /// Report order; lowest first.
        var rank: Int {
            if case .behind = self { return 1 }
            return isFailure ? 0 : 2
        }
    }

    init(_ path: FilePath, _ cause: Cause, users: FilePath) {
        self.path = path.string
        switch cause {
        case .system(let error), .unlistable(let error): reason = error.description
        case .unwritable(let folder, let error): reason = "homingd cannot write to \(folder): \(error)"
        case .noBackend(let name): reason = "it was taken for the backend “\(name)”, which is not configured any more"
        case .otherAccount(let name): reason = "it waits for \(name) to sign in"
        case .diskFull(let bytes): reason = "the disk has no room for it, which takes \(Self.mebibytes(bytes)) MiB"
        case .overLimit(let limit): reason = "it does not fit into the outbox any more, whose limit is \(limit >> 20) MiB"
        case .behind(let path): reason = "it goes after \(path), for which there is no room"
        case .unreadable: reason = "homingd may not read it"
        case .linked: reason = "it has a second name, a hard link"
        case .link: reason = "it is a link, not a plain file"
        case .folder: reason = "it is a folder, not a plain file"
        case .special: reason = "it is not a plain file"
        }
        next =
            switch cause {
            case .system(let error) where [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error):
                "Give the user that homingd runs as write permission on the folder that it is in."
            case .unwritable(let folder, _): "Give the user that homingd runs as write permission on \(folder)."
            case .system: "See to the cause; homingd tries again by itself."
            case .unlistable: "Give the user that homingd runs as read and write permission on that folder."
            case .noBackend(let name):
                "Put \(name).yaml back into the folder with the profiles, then reload: ‘systemctl reload homingd’, or SIGHUP."
            case .otherAccount(let name): "\(name) has to sign in; nobody else’s sign-in sends it."
            case .diskFull: "Make room on the disk; homingd tries again by itself."
            case .overLimit:
                "Let what waits go up, which makes room; or raise outbox.max_bytes in the configuration and restart the daemon."
            case .behind: "Nothing: it is taken once that one has been."
            case .unreadable(opensByMode: true):
                "As the owner of the file, let the group read it: ‘chmod 640 \(path.string.asArgument)’."
            case .unreadable(opensByMode: false):
                "As the owner of the file, let homingd read it: ‘setfacl -m u:\(geteuid()):r \(path.string.asArgument)’."
            case .linked: "Drop a copy of the file there, and remove this one."
            case .link: "Move the file itself there, in place of the link."
            case .folder: "Move the files in it to \(users.string)/<id>/, where <id> is the user’s number."
            case .special: "Move the file itself there, or remove what is there."
            }
    }
    private static func mebibytes(_ bytes: Int64) -> Int64 { (bytes + (1 << 20) - 1) >> 20 }
}

extension String {
    /// As one shell argument.
    fileprivate var asArgument: String { "'" + replacing("'", with: "'\\''") + "'" }
}
