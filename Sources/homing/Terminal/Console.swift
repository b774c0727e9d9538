import ControlAPI
import Foundation
import SyncModel

struct Console: Sendable {
    let inputIsTerminal: Bool
    let outputIsTerminal: Bool
    let errorIsTerminal: Bool
    let style: TextStyle
    let errorStyle: TextStyle
    /// Columns of standard output.
    var width = Table.width

    /// Unlimited unless a person reads the table on a terminal.
    var tableWidth: Int { outputIsTerminal ? width : Table.unlimited }

    static func standard(environment: [String: String]) -> Console {
        let (output, error) = (isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1)
        return Console(
            inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: output, errorIsTerminal: error,
            style: TextStyle(isTerminal: output, environment: environment),
            errorStyle: TextStyle(isTerminal: error, environment: environment), width: width(environment))
    }

    /// The terminal's, else `COLUMNS`, else 100; limited to 40 to 120 for legibility.
    private static func width(_ environment: [String: String]) -> Int {
        var size = winsize()
        let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
        return min(max(known ?? environment["COLUMNS"].flatMap { Int($0) } ?? Table.width, 40), 120)
    }

    /// Writes a line to standard output; exits silently if the reader has closed it.
    func write(_ text: String) {
        writeRaw(text + "\n")
    }

    /// Writes to standard output; exits silently if the reader has closed it.
    func writeRaw(_ text: String) {
        do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { exit(128 + SIGPIPE) }
    }

    func warn(_ text: String) { tell(text + "\n") }

    /// The current line of standard error, which must be a terminal.
    func redraw(_ text: String) { tell("\r\u{1B}[K" + text) }

    /// Nil at the end of the input.
    func ask(_ question: String) -> String? {
        tell(question)
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }

    /// The JSON of the wire format, pretty-printed on a terminal.
    func json(_ value: some Encodable) -> String {
        guard outputIsTerminal else { return Self.jsonLine(value) }
        let encoder = JSONCoding.encoder
        encoder.outputFormatting.insert(.prettyPrinted)
        // `try?`: JSONCoding.encoded ends the program with a reason if encoding fails.
        return String(decoding: (try? encoder.encode(value)) ?? JSONCoding.encoded(value), as: UTF8.self).withEscapes
    }

    /// The JSON of the wire format, on one line.
    static func jsonLine(_ value: some Encodable) -> String { String(decoding: JSONCoding.encoded(value), as: UTF8.self).withEscapes }

    /// `try?`: standard error may be closed.
    private func tell(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

extension String {
    /// The JSON with `\u` escapes for characters that can control a terminal or disguise a name.
    var withEscapes: String {
        guard unicodeScalars.contains(where: \.needsEscape) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.needsEscape {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var needsEscape: Bool { isSteering && self != "\n" }
}
