import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct ConsoleTests {
    /// C1 controls, the delete character, line separators, and characters that change the writing direction.
    private static let steering = "\u{1B}[2J\u{9B}2J\u{7F}\u{85}\u{2028}\u{202E}\u{2066}\u{200F}"

    private func console(_ isTerminal: Bool) -> Console {
        Console(inputIsTerminal: false, outputIsTerminal: isTerminal, errorIsTerminal: false, style: .plain, errorStyle: .plain)
    }

    private var row: RosterRow { RosterRow(id: "5", label: "Änna \(Self.steering) 李 👩‍🔬", values: ["/a": "one\ntwo\t\"3\" \\ 4"]) }

    @Test(arguments: [true, false]) func escapesWhatCouldSteerATerminal(isTerminal: Bool) throws {
        let text = console(isTerminal).json(row)
        let bare = text.unicodeScalars.filter { scalar in
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
            return isControl || [0x2028, 0x202E, 0x2066, 0x200F].contains(scalar.value)
        }
        #expect(bare.isEmpty, "\(text)")
        #expect(text.contains("\\u009B2J\\u007F\\u0085\\u2028\\u202E\\u2066\\u200F"))
        #expect(text.contains("Änna") && text.contains("李 👩‍🔬"), "other text stays readable")
        #expect(try JSONCoding.decoder.decode(RosterRow.self, from: Data(text.utf8)) == row, "it is the same JSON")
        #expect(text.contains("\n") == isTerminal)
    }

    @Test func tableIsCutOnATerminalOnly() {
        let reason = String(repeating: "The backend answered with a server error. ", count: 5) + "End"
        let subject = Sample.subject("28", String(repeating: "Maximiliana ", count: 5) + "Example")
        let page = EntryPage(entries: [Sample.entry(1, "dead", lastError: reason, subject: subject)], next: nil)
        func table(_ isTerminal: Bool) -> String {
            EntryText(style: .plain, times: Sample.times, width: console(isTerminal).tableWidth).table(page)
        }
        #expect(table(true).contains("…") && !table(true).contains(reason))
        #expect(!table(false).contains("…") && table(false).hasSuffix(reason) && table(false).contains(subject.text))
    }

    @Test func linesOfEventsAreEscapedToo() throws {
        var event = Sample.event(7)
        event.detail["message"] = Self.steering
        let line = Console.jsonLine(event)
        #expect(line.contains("\\u009B2J") && !line.contains("\u{9B}"))
        #expect(try JSONCoding.decoder.decode(Event.self, from: Data(line.utf8)) == event)
    }
}
