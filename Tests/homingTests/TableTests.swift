import Testing

@testable import homing

@Suite struct TableTests {
    @Test func alignsTextLeftAndNumbersRight() {
        let table = Table(
            columns: [.init(title: "#", isNumber: true), .init(title: "NAME", limit: 5), .init(title: "ABOUT")],
            rows: [["1", "Anna", "x"], ["12", "Bartholomew", ""]])
        #expect(table.lines() == [" #  NAME   ABOUT", " 1  Anna   x", "12  Bart…"])
    }

    @Test func noLineIsLongerThanAHundredCharacters() {
        let long = String(repeating: "words of a server ", count: 20)
        let table = Table(columns: [.init(title: "ID"), .init(title: "ABOUT")], rows: [["3f2a91c04b01", long]])
        #expect(table.lines()[1].count == 100)
        #expect(table.lines()[1].hasSuffix("…"))
    }

    @Test func numbersInTheLastColumnTakeNoMoreRoomThanTheyNeed() {
        let table = Table(
            columns: [.init(title: "NAME", limit: 11), .init(title: "ID", isNumber: true)],
            rows: [["Anna Example", "28"], ["Eve", "7"]], width: 15)
        #expect(table.lines() == ["NAME         ID", "Anna Examp…  28", "Eve           7"])
    }

    @Test func leavesOutColumnsThatDoNotFit() {
        func table(_ width: Int) -> [String] {
            Table(
                columns: [
                    .init(title: "#"), .init(title: "WHEN", rank: 1), .init(title: "FOR", isSubject: true), .init(title: "SIZE", rank: 2),
                ],
                rows: [["1", "14:05", "Anna (28)", "9"]], width: width
            ).lines()
        }
        #expect(Table(columns: [.init(title: "#"), .init(title: "NAME", rank: 1)], rows: [["1", "Anna"]], width: 4).shownTitles == ["#"])
        #expect(table(25) == ["#  WHEN   FOR        SIZE", "1  14:05  Anna (28)  9"])
        #expect(table(24) == ["#  WHEN   FOR", "1  14:05  Anna (28)"])
        #expect(table(18) == ["#  WHEN   FOR", "1  14:05  An… (28)"])
        #expect(table(17) == ["#  FOR", "1  Anna (28)"])
        #expect(table(11) == ["#  FOR", "1  An… (28)"])
    }

    @Test func stacksCellsIfColumnsDoNotFit() {
        let table = Table(
            columns: [.init(title: "NAME"), .init(title: "FOR", isSubject: true), .init(title: "ID", isNumber: true, least: 12)],
            rows: [["王小明王小明王", "Anna (28)", "123456789012"], ["Eve", "", "7"]], width: 10)
        #expect(table.lines() == ["NAME, FOR…", "王小明王…", "  An… (28)", "  12345678", "  9012", "Eve", "  7"])
    }

    @Test(arguments: [
        ("Anna Example (28)", 17, "Anna Example (28)"), ("Anna Example (28)", 16, "Anna Examp… (28)"), ("Anna (28)", 7, "A… (28)"),
        ("Anna (28)", 6, "Anna …"), ("Anna (28)", 5, "Anna…"), ("Anna Example", 6, "Anna …"), ("王小明 (5)", 9, "王小… (5)"),
    ])
    func cutsNameBeforeID(text: String, width: Int, cut: String) { #expect(text.cutBeforeID(toColumns: width) == cut) }

    @Test func theHeadingIsBoldOnATerminalOnly() {
        let table = Table(columns: [.init(title: "ID")], rows: [])
        #expect(table.lines(style: TextStyle(isColoured: true)) == ["\u{1B}[1mID\u{1B}[0m"])
        #expect(table.lines() == ["ID"])
    }
}
