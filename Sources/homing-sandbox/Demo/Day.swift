import Foundation
import Sandbox

/// The story of a day: sentences, commands with their output, and the submitted changes.
final class Day {
    let station: DemoStation
    /// In order of submission.
    private(set) var changes: [Change] = []

    init(_ station: DemoStation) { self.station = station }

    var sandbox: Sandbox { station.sandbox }
    var ledger: Ledger { station.sandbox.ledger }
    var books: DemoBooks { get throws { try DemoBooks(station) } }

    // MARK: Words

    func say(_ text: String) { StandardOutput.line("\n\(text)") }

    func quote(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { StandardOutput.line("    \(line)") }
    }

    @discardableResult
    func show(_ arguments: String..., input: String? = nil) throws -> String { try show(arguments, input: input) }

    /// Shows the command and its output, and returns the output.
    @discardableResult
    func show(_ arguments: [String], input: String? = nil) throws -> String {
        let words = arguments.map { $0.count == 36 ? "…\($0.suffix(8))" : $0.contains(" ") ? "'\($0)'" : $0 }
        StandardOutput.line("\n    $ homing \(words.joined(separator: " "))")
        let output = try station.homing(arguments, input: input)
        quote(output)
        return output
    }

    /// Shows a command of the administrator and its output.
    func administer(_ arguments: String...) throws {
        StandardOutput.line("\n    $ sudo homingd \(arguments.joined(separator: " "))")
        quote(try station.homingd(arguments))
    }

    // MARK: What has to be so

    /// Waits up to 30 seconds for a condition.
    func until(_ what: String, _ isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        repeat {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        } while ContinuousClock.now < end
        throw DemoError("gave up after 30 seconds of waiting until \(what)")
    }

    /// Ends the story with an error if a claim is false.
    func expect(_ what: String, _ isSo: Bool) throws {
        if !isSo { throw DemoError("this should be true: \(what)") }
    }

    func add(_ new: [Change]) { changes += new }
}

/// A day at a station: sign in, lose the network, submit, return to a backend that misbehaves, and compare the books.
protocol Story {
    var backend: SandboxBackend { get }
    var profile: String { get }
    var route: String { get }

    /// Tells the story; true if the books agree at the end.
    func tell(_ day: Day) async throws -> Bool
}

/// One row of the backend's ledger.
struct DemoArrival {
    let entry: LedgerEntry
    /// A description, in the words of the story.
    let words: String
    /// The entry's id; nil if the daemon has none for this row.
    let id: String?
    /// The person, with the name at the backend.
    var person: String?
}

struct Change {
    /// A description, in the words of the story.
    let words: String
    /// The document that the backend must have stored at the end.
    let document: JSONObject

    init(_ words: String, _ document: JSONObject) {
        self.words = words
        self.document = document
    }
}
