import Foundation

package struct PseudoTerminal: Sendable {
    /// Writes are typed text; reads are the terminal's output.
    package let keyboard: FileHandle
    /// The terminal's device file.
    package let path: String

    package init() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Self.failure }
        keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        var (unlocked, number): (CInt, CInt) = (0, 0)
        guard ioctl(master, Self.unlock, &unlocked) == 0, ioctl(master, Self.slaveNumber, &number) == 0 else { throw Self.failure }
        path = "/dev/pts/\(number)"
    }

    /// The program's side, for its standard input.
    package func opened() throws -> FileHandle {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    // TIOCSPTLCK and TIOCGPTN, which the importer omits.
    private static let unlock: UInt = 0x4004_5431
    private static let slaveNumber: UInt = 0x8004_5430
}
