import Backends
import Foundation
import Outbox
import SyncModel

/// Why the daemon cannot start, with the step that fixes it.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }

    /// The message for any error that ends the daemon. `store` is the store file, which store errors do not name.
    package static func sentence(for error: any Error, store: String? = nil) -> String {
        let name = store.map { "The store \($0)" } ?? "The store"
        return switch error {
        case let mistakes as Mistakes: "The configuration has mistakes:\n\(mistakes)"
        case OutboxError.tooNew: "A newer version of Homing has written this store. Install that version again. Nothing was changed."
        case OutboxError.isBackup:
            "\(name) is a backup that was not restored, so its entries could be sent twice. Move the file away, then run: homingd restore FILE"
        case OutboxError.full:
            "The disk\(store.map { " with the store \($0)" } ?? "") is full. Make room and start again; nothing was lost."
        case OutboxError.storage(let words): "\(name) cannot be read or written: \(words). Check the disk. Nothing was changed."
        case OutboxError.damaged(let words):
            "\(name) is damaged: \(words). Homing saves the readable data at the next start. Check the disk and the memory."
        case let failure as Failure: failure.message
        case let error as CocoaError: sentence(for: error)
        default: "\(error)"
        }
    }

    /// The path with the system's error: permissions are only one possible reason.
    private static func sentence(for error: CocoaError) -> String {
        let path = error.userInfo[NSFilePathErrorKey] as? String ?? "A file or folder"
        let failed = "\(path) cannot be created, read or written"
        guard let code = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code.rawValue else {
            return "\(failed). Check its owner and permissions, and those of its folder."
        }
        let advice =
            switch code {
            case EACCES, EPERM, EROFS: "Check its owner and permissions, and those of its folder."
            case ENOSPC, EDQUOT: "Make room and start again; nothing was lost."
            default: "Check it, its folder and the disk."
            }
        return "\(failed): \(String(cString: strerror(code))). \(advice)"
    }
}
