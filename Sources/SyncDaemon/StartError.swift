import Backends
import Foundation
import Outbox
import SyncModel

/// Why the daemon does not start, as a sentence that says what to do.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }

    /// What to tell the administrator about any error that ends the daemon.
    package static func sentence(for error: any Error) -> String {
        switch error {
        case let mistakes as Mistakes: "The configuration has mistakes:\n\(mistakes)"
        case OutboxError.tooNew: "A newer version of Homing has written this store. Install that version again; nothing was changed."
        case OutboxError.full: "The disk is full. Make room and start again; nothing was lost."
        case OutboxError.storage(let words): "The store cannot be read or written: \(words). Look at the disk; nothing was changed."
        case OutboxError.damaged(let words):
            "The store is damaged: \(words). What can be read of it is saved at the next start; look at the disk and the memory."
        case let failure as Failure: failure.message
        case let error as CocoaError:
            "\(error.userInfo[NSFilePathErrorKey] as? String ?? "A file or folder") cannot be made, read or written. Look at its owner and permissions, and at those of the folder that it is in."
        default: "\(error)"
        }
    }
}
