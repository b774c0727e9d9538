import ArgumentParser
import Testing

@testable import homing

@Suite struct FormOptionsTests {
    @Test(
        arguments: [
            (
                ["add", "--first-name", "Anna B", "--last-name=Example"],
                ["add", "--set", "first_name=Anna B", "--set", "last_name=Example"]
            ),
            (["edit", "Anna Example", "--last-name", ""], ["edit", "Anna Example", "--set", "last_name="]),
            (["edit", "28", "--strict", "--backend", "b", "--json"], ["edit", "28", "--strict", "--backend", "b", "--json"]),
            (["add", "--set", "first_name=A", "--socket=/s"], ["add", "--set", "first_name=A", "--socket=/s"]),
            (["add", "--note", "-5", "--note=--x"], ["add", "--set", "note=-5", "--set", "note=--x"]),
            (["add", "--first-name", "--last-name", "E"], ["add", "--set", "first_name", "--set", "last_name=E"]),
            (["add", "--", "--first-name", "A"], ["add", "--", "--first-name", "A"]),
            (["add", "--first-name"], ["add", "--set", "first_name"]),
            (["--find", "anna"], ["--find", "anna"]), (["add"], ["add"]),
            (["delete", "--first-name", "A"], ["delete", "--first-name", "A"]),
        ] as [([String], [String])])
    func optionsForMembersBecomeSet(words: [String], expanded: [String]) {
        #expect(FormOptions.expanded(["roster", "people"] + words) == ["roster", "people"] + expanded)
        #expect(FormOptions.expanded(["submit", "people"] + words) == ["submit", "people"] + words)
    }

    /// An option of the command itself must never be taken for a member.
    @Test func everyOptionOfTheCommandIsReserved() {
        let help = Homing.helpMessage(for: RosterCommand.self, columns: 200)
        let options = Set(help.matches(of: /^ +(?:-[a-z], )?--([a-z-]+)/.anchorsMatchLineEndings()).map { String($0.output.1) })
        #expect(options.union(["help", "version"]) == FormOptions.reserved, "\(help)")
    }

    @Test func memberWithTheNameOfAnOptionNeedsSet() {
        #expect(FormOptions.option(for: "first_name") == "--first-name" && FormOptions.option(for: "limit") == "--set limit=")
    }

    @Test(arguments: [
        ("first_name=Anna", "--first-name Anna"), ("last_name=van Dam", "--last-name 'van Dam'"), ("note=it's", "--note 'it'\\''s'"),
        ("year:=1980", "--set 'year:=1980'"), ("limit=3", "--set 'limit=3'"), ("note=--x", "--set 'note=--x'"),
        ("a b=c", "--set 'a b=c'"),
    ])
    func fieldIsRepeatedAsAnOption(field: String, option: String) {
        #expect(FormField(argument: field)?.asArgument == option)
    }

    @Test func fieldIsTextOrJSON() {
        let text = FormField(argument: "note=a:=b=c")
        #expect(text?.name == "note" && text?.value == "a:=b=c" && text?.isJSON == false)
        let json = FormField(argument: "year:=1980")
        #expect(json?.name == "year" && json?.value == "1980" && json?.isJSON == true)
        let missing = FormField(argument: "note")
        #expect(missing?.name == "note" && missing?.value == nil && missing?.isJSON == false)
        #expect(FormField(argument: "=x") == nil && FormField(argument: ":=1") == nil && FormField(argument: "") == nil)
    }
}
