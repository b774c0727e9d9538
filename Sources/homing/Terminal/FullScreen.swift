@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Takes over the terminal: alternate screen, no cursor, unbuffered keys. `leave` restores everything.
final class FullScreen: Sendable {
    private let descriptor: Int32
    private let before: termios
    private let hasLeft = Mutex(false)

    /// Nil if standard output is not a terminal.
    init?() {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var settings = termios()
        guard isatty(STDOUT_FILENO) == 1, descriptor >= 0, tcgetattr(descriptor, &settings) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // Ctrl-S and Ctrl-Z: a stopped program would leave the alternate screen behind.
        settings.c_iflag &= ~tcflag_t(IXON)
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
        tcsetattr(descriptor, TCSANOW, &settings)
        write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Restores the terminal; later calls do nothing.
    func leave() {
        // `draw` holds the lock on a stalled terminal; then only the terminal settings are restored.
        let isFirst = hasLeft.withLockIfAvailable { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        if isFirst == false { return }
        if isFirst == true { write("\u{1B}[?25h\u{1B}[?1049l") }
        var settings = before
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    /// In columns and lines; 80 by 24 if unknown.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Replaces the frame in one write, to avoid flicker.
    func draw(_ lines: [String]) {
        hasLeft.withLock { hasLeft in
            if !hasLeft { write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J") }
        }
    }

    /// Key presses and size changes, until the terminal is closed.
    func commands() -> AsyncStream<Watch.Command> {
        let (commands, continuation) = AsyncStream.makeStream(of: Watch.Command.self, bufferingPolicy: .bufferingNewest(8))
        let resized = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
        resized.setEventHandler { continuation.yield(.redraw) }
        resized.resume()
        continuation.onTermination = { _ in resized.cancel() }
        // A thread, because reading blocks; it ends with the process.
        Thread.detachNewThread { [descriptor] in
            var byte: UInt8 = 0
            while true {
                let count = read(descriptor, &byte, 1)
                if count < 0 && errno == EINTR { continue }
                guard count == 1, byte != UInt8(ascii: "q"), byte != UInt8(ascii: "Q") else { break }
                continuation.yield(.redraw)
            }
            continuation.yield(.quit)
            continuation.finish()
        }
        return commands
    }

    /// `try?`: if the terminal is closed, reading keys ends too.
    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
