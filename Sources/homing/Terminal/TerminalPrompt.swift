import ControlAPI
import Foundation

/// Asks on the terminal, even if standard input is redirected.
struct TerminalPrompt {
    private let terminal: FileHandle

    /// Nil without a terminal, for example under cron.
    init?(path: String = "/dev/tty") {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// The typed line; nil at the end of the input.
    func ask(_ question: String) throws -> String? {
        try terminal.write(contentsOf: Data(question.utf8))
        return line()
    }

    /// Asks without echo. Restores the terminal settings, even after an interrupt.
    func askHidden(_ question: String) throws -> String? {
        let descriptor = terminal.fileDescriptor
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else {
            throw Problem.invalid(
                "This terminal cannot hide your input.", next: "Give the password with --password-stdin or --password-file.")
        }
        let restored = before
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        let guardian = InterruptGuard {
            var restored = restored
            tcsetattr(descriptor, TCSANOW, &restored)
            _ = write(descriptor, "\n", 1)
        }
        defer {
            tcsetattr(descriptor, TCSANOW, &before)
            guardian.lift()
        }
        tcsetattr(descriptor, TCSANOW, &hidden)
        try terminal.write(contentsOf: Data(question.utf8))
        let answer = line()
        try terminal.write(contentsOf: Data("\n".utf8))
        if let answer, answer.utf8.count >= Self.longestLine {
            throw Problem.invalid(
                "The input is longer than a terminal accepts.",
                next: "Read it from a file: --password-file FILE, or ‘< FILE’ for a token.")
        }
        return answer
    }

    /// In bytes. A terminal discards the rest of a longer line (termios(3)).
    private static let longestLine = 4095

    /// Reads byte by byte, to leave the rest of the input for the next question.
    private func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(terminal.fileDescriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }
}
