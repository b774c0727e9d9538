import Glibc

/// Something in the drop folder that cannot be taken, for a person to see to.
package struct StuckFile: Sendable, Equatable {
    package var path: String
    /// Why, without a full stop; in the system's words where the system refused.
    package var reason: String
    /// What to do, as a sentence.
    package var next: String
}

extension StuckFile {
    enum Cause: Equatable {
        /// Taking, reading or putting aside has failed.
        case system(SpoolFolders.Errno)
        /// A folder that cannot be listed.
        case unlistable(SpoolFolders.Errno)
        /// Taken for a backend that is not configured any more.
        case noBackend(String)
        case link, folder, special

        /// Whether it was tried and went wrong; otherwise it is not of the kind that is tried.
        var isFailure: Bool {
            switch self {
            case .system, .noBackend: true
            case .unlistable, .link, .folder, .special: false
            }
        }
    }

    init(_ path: FilePath, _ cause: Cause, users: FilePath) {
        self.path = path.text
        switch cause {
        case .system(let error), .unlistable(let error): reason = error.description
        case .noBackend(let name): reason = "it was taken for the backend “\(name)”, which is not configured any more"
        case .link: reason = "it is a link, not a plain file"
        case .folder: reason = "it is a folder, not a plain file"
        case .special: reason = "it is not a plain file"
        }
        next =
            switch cause {
            case .system(let error) where [EACCES, EPERM, EROFS].contains(error.code):
                "Give the user that homingd runs as write permission on the folder that it is in."
            case .system: "See to the cause; homingd tries again by itself."
            case .unlistable: "Give the user that homingd runs as read and write permission on that folder."
            case .noBackend(let name): "Put \(name).yaml back into the folder with the profiles and restart the daemon."
            case .link: "Move the file itself there, in place of the link."
            case .folder: "Move the files in it to \(users.text)/<id>/, where <id> is the user’s number."
            case .special: "Move the file itself there, or remove what is there."
            }
    }
}
