import Glibc
import SystemPackage

/// A file that cannot be taken and needs a person.
package struct StuckFile: Sendable, Equatable {
    package var path: String
    /// Without a full stop; may be the system's error text.
    package var reason: String
    /// The next step, as a sentence.
    package var next: String
    /// The reason as a word of the API.
    package var cause: String
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
        /// Made by mkstemp(3), or moved from a folder that restricts it.
        case unreadable(opensByMode: Bool)
        /// The file has a second hard link.
        case linked
        case link, folder, special

        /// True if the daemon failed to take it, until the file is gone.
        var isFailure: Bool {
            switch self {
            case .system, .unwritable, .noBackend, .otherAccount, .diskFull, .overLimit, .unreadable, .linked: true
            case .unlistable, .link, .folder, .special: false
            }
        }

        var word: String {
            switch self {
            case .system: "system"
            case .unwritable: "unwritable"
            case .unlistable: "unlistable"
            case .noBackend: "no-backend"
            case .otherAccount: "other-account"
            case .diskFull: "disk-full"
            case .overLimit: "over-limit"
            case .unreadable: "unreadable"
            case .linked: "linked"
            case .link: "link"
            case .folder: "folder"
            case .special: "special"
            }
        }

        /// Evaluated anew in each sweep.
        var isForWantOfRoom: Bool {
            switch self {
            case .diskFull, .overLimit: true
            default: false
            }
        }

        /// True for a missing sign-in. Repaired permissions, for example, raise no event.
        var endsWithEvent: Bool { if case .otherAccount = self { true } else { false } }

        /// Report order; lowest first. All files wait behind one without room.
        var rank: Int { isForWantOfRoom ? 0 : isFailure ? 1 : 2 }
    }

    init(_ path: FilePath, _ cause: Cause, users: FilePath) {
        self.path = path.string
        self.cause = cause.word
        switch cause {
        case .system(let error), .unlistable(let error): reason = error.description
        case .unwritable(let folder, let error): reason = "homingd cannot write to \(folder): \(error)"
        case .noBackend(let name): reason = "it belongs to the backend “\(name)”, which is no longer configured"
        case .otherAccount(let name): reason = "it waits for \(name) to sign in"
        case .diskFull(let bytes): reason = "it needs \(Self.mebibytes(bytes)) MiB of free disk space"
        case .overLimit(let limit): reason = "it does not fit in the outbox, which is limited to \(limit >> 20) MiB"
        case .unreadable: reason = "homingd has no permission to read it"
        case .linked: reason = "it has a second name (a hard link)"
        case .link: reason = "it is a symbolic link, not a regular file"
        case .folder: reason = "it is a folder, not a regular file"
        case .special: reason = "it is not a regular file"
        }
        next =
            switch cause {
            case .system(let error) where [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error):
                "Give homingd’s user write permission on the file’s folder."
            case .unwritable(let folder, _): "Give homingd’s user write permission on \(folder)."
            case .system: "Fix the cause. homingd retries automatically."
            case .unlistable: "Give homingd’s user read and write permission on that folder."
            case .noBackend(let name):
                "Put \(name).yaml back into the profiles folder. Then send SIGHUP, or run: systemctl reload homingd"
            case .otherAccount(let name): "Ask \(name) to sign in. Only that account can send it."
            case .diskFull: "Free up disk space. homingd retries automatically."
            case .overLimit:
                "Wait for deliveries to free space, or raise outbox.max_bytes in the configuration. Then send SIGHUP, or run: systemctl reload homingd"
            case .unreadable(opensByMode: true):
                "As the owner of the file, let the group read it: ‘chmod 640 \(path.string.asArgument)’."
            case .unreadable(opensByMode: false):
                "As the owner of the file, let homingd read it: ‘setfacl -m u:\(geteuid()):r \(path.string.asArgument)’."
            case .linked: "Replace it with a copy that has no other name."
            case .link: "Replace the link with the file itself."
            case .folder: "Move the files in it to \(users.string)/<id>/, where <id> is the user’s number."
            case .special: "Replace it with a regular file, or remove it."
            }
    }
    private static func mebibytes(_ bytes: Int64) -> Int64 { (bytes + (1 << 20) - 1) >> 20 }
}

extension String {
    fileprivate var asArgument: String { "'" + replacing("'", with: "'\\''") + "'" }
}
