import Glibc
import SystemPackage

/// The description is a sentence with the path and the system's reason.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Errno
    package let path: FilePath
    package let action: Action

    package enum Action: String, Sendable {
        case create, list, open, read, remove, rename, sync, use, watch, write
    }

    package init(_ code: Errno, _ path: FilePath, _ action: Action = .use) {
        (self.code, self.path, self.action) = (code, path, action)
    }

    /// Returns `result`; if it is negative, throws the system's last error.
    @discardableResult
    package static func check(_ result: Int32, _ path: @autoclosure () -> FilePath, _ action: Action) throws(FileError) -> Int32 {
        guard result >= 0 else { throw FileError(Errno(rawValue: errno), path(), action) }
        return result
    }

    /// True if the disk or a quota is full.
    package var isForWantOfRoom: Bool { [.noSpace, .diskQuotaExceeded].contains(code) }

    /// Without a full stop.
    package var text: String { "Could not \(action.rawValue) \(path): \(code)" }
    package var description: String { text + "." }
}
