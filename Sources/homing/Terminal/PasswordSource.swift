import ControlAPI
import Foundation

/// The source of a password or token; never the arguments, which every user of the machine can read.
enum PasswordSource: Equatable {
    case terminal
    case standardInput
    case file(String)

    /// The secret without its final newline. Asks if `input` is a terminal; `warn` receives warnings about unsafe files.
    func secret(_ kind: String, terminal: TerminalPrompt?, input: FileHandle, warn: (String) -> Void) throws -> String {
        let password: String
        switch self {
        case .terminal:
            guard let terminal else {
                throw Problem.invalid(
                    "There is no terminal to ask for the password.", next: "Give it with --password-stdin or --password-file FILE.")
            }
            password = try terminal.askHidden(Self.question(kind)) ?? ""
        case .standardInput where isatty(input.fileDescriptor) == 1 && terminal != nil:
            password = try terminal?.askHidden(Self.question(kind)) ?? ""
        case .standardInput:
            password = try Self.text(try Self.limited(try input.contents(atMost: Self.largest), "Standard input"), from: "standard input")
        case .file(let path):
            password = try Self.text(try Self.contents(of: path, warn: warn), from: "‘\(path)’")
        }
        guard !password.isEmpty else { throw Problem.invalid("The \(kind) is empty.", next: "Run the command again and give the \(kind).") }
        return password
    }

    private static func question(_ kind: String) -> String { "\(kind.capitalisedFirst): " }

    private static func contents(of path: String, warn: (String) -> Void) throws -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw Problem.invalid("The password file ‘\(path)’ cannot be read.", next: "Name a file that exists and that you may read.")
        }
        var facts = stat()
        let isKnown = fstat(file.fileDescriptor, &facts) == 0
        if isKnown, facts.st_mode & S_IFMT == S_IFDIR {
            throw Problem.invalid("‘\(path)’ is a folder.", next: "Name the file with the password.")
        }
        if isKnown, facts.st_mode & 0o077 != 0 {
            warn("Other users of this machine may be able to read ‘\(path)’. To prevent this, run: chmod 600 \(path)")
        }
        let content: Data?
        do {
            content = try file.contents(atMost: largest)
        } catch {
            throw Problem.invalid("The password file ‘\(path)’ cannot be read.", next: "Name a file that exists and that you may read.")
        }
        return try limited(content, "‘\(path)’")
    }

    /// In bytes: longer than any password or token.
    private static let largest = 32 << 10

    private static func limited(_ content: Data?, _ name: String) throws(Problem) -> Data {
        guard let content else {
            throw Problem(
                .tooLarge, status: 413, title: "Too large",
                detail: "\(name) is larger than \(largest >> 10) KiB, so it is no password or token.",
                next: "Put only the password or token there.")
        }
        return content
    }

    private static func text(_ data: Data, from name: String) throws(Problem) -> String {
        guard let text = String(data: data, encoding: .utf8) else {
            throw .invalid("The secret from \(name) is not UTF-8 text.", next: "Put only the password or token there.")
        }
        return text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text  // "\r\n" is one Character
    }
}
