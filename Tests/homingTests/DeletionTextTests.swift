import ControlAPI
import Testing

@testable import homing

@Suite struct DeletionTextTests {
    private let anna = ControlAPI.RosterRow(id: "5", label: "Anna Example", values: [:])

    private func entry(_ number: Int, _ state: String = "pending") -> EntrySummary {
        Sample.entry(number, state, hold: state == "held" ? "forbidden" : nil, subject: Sample.subject("5"))
    }

    private func before(_ row: ControlAPI.RosterRow?, id: String = "5", _ undelivered: [EntrySummary] = []) -> [String] {
        DeletionText(roster: Sample.roster(), id: id, row: row).before(undelivered).split(separator: "\n").map(String.init)
    }

    @Test func namesThePerson() {
        #expect(
            before(anna)
                == [
                    "This deletes Anna Example (5) at breathesafe, including all stored data. You can cancel this only until Homing sends it."
                ])
        #expect(before(nil)[0].hasPrefix("This deletes the person 5, which is not in your list, at breathesafe"))
        let id = "@\(Sample.id(9))"
        var new = ControlAPI.RosterRow(id: id, label: "Anna Example", values: [:], pending: "new")
        #expect(before(new, id: id)[0].hasPrefix("This deletes Anna Example (new) at"))
        new.label = ""
        #expect(before(new, id: id)[0].hasPrefix("This deletes the new person at"))
    }

    @Test func countsTheEntriesThatAreSentFirst() {
        #expect(before(anna, [entry(1)])[1] == "1 measurement of Anna Example (5) still waits; it is sent first.")
        let three = [entry(1), entry(2, "inflight"), entry(3)]
        #expect(before(anna, three).dropFirst() == ["3 measurements of Anna Example (5) still wait; they are sent first."])
    }

    @Test func tellsOfEntriesThatStopIt() {
        let lines = before(anna, [entry(1, "dead"), entry(2, "held"), entry(3)])
        #expect(lines.count == 3 && lines[1].hasPrefix("1 measurement of Anna Example (5) still waits"))
        #expect(
            lines[2]
                == "2 measurements of Anna Example (5) were not delivered and need a decision. Homing deletes the person after you have retried or discarded them."
        )
        #expect(before(anna, [entry(1, "dead")])[1].contains(" was not delivered and needs a decision."))
    }
}
