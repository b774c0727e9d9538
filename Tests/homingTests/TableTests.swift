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

    @Test func theHeadingIsBoldOnATerminalOnly() {
        let table = Table(columns: [.init(title: "ID")], rows: [])
        #expect(table.lines(style: TextStyle(isColoured: true)) == ["\u{1B}[1mID\u{1B}[0m"])
        #expect(table.lines() == ["ID"])
    }
}
