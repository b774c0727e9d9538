import ControlAPI
import Foundation

/// Standard input, output and error, and whether a person sits at them.
struct Console: Sendable {
    let inputIsTerminal: Bool
    let outputIsTerminal: Bool
    let errorIsTerminal: Bool
    /// Colours for standard output.
    let style: TextStyle
    /// Colours for standard error.
    let errorStyle: TextStyle

    static func standard(environment: [String: String]) -> Console {
        let (output, error) = (isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1)
        return Console(
            inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: output, errorIsTerminal: error,
            style: TextStyle(isTerminal: output, environment: environment),
            errorStyle: TextStyle(isTerminal: error, environment: environment))
    }

    /// Writes `text` and a newline on standard output; ends the program quietly where nobody reads any more.
    func write(_ text: String) {
        writeRaw(text + "\n")
    }

    /// Writes `text` as it is on standard output; ends the program quietly where nobody reads any more.
    func writeRaw(_ text: String) {
        do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { exit(128 + SIGPIPE) }
    }

    /// Writes `text` and a newline on standard error.
    func warn(_ text: String) { tell(text + "\n") }

    /// Replaces the last line on standard error, which must be a terminal; an empty `text` clears it.
    func redraw(_ text: String) { tell("\r\u{1B}[K" + text) }

    /// Asks on standard error and returns the line typed; nil at the end of the input.
    func ask(_ question: String) -> String? {
        tell(question)
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }

    /// `value` as on the wire; laid out where a person reads it.
    func json(_ value: some Encodable) -> String {
        guard outputIsTerminal else { return String(decoding: JSONCoding.encoded(value), as: UTF8.self) }
        let encoder = JSONCoding.encoder
        encoder.outputFormatting.insert(.prettyPrinted)
        // `try?`: JSONCoding.encoded ends the program with a reason where a value cannot be encoded.
        return String(decoding: (try? encoder.encode(value)) ?? JSONCoding.encoded(value), as: UTF8.self)
    }

    /// `try?`: whoever has closed standard error does not want to hear it.
    private func tell(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
