import Testing

@testable import homing

@Suite struct TextStyleTests {
    @Test(
        arguments: [
            (true, [:], true), (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false), (true, ["NO_COLOR": "1"], false),
            (true, ["NO_COLOR": ""], true), (true, ["TERM": "dumb"], false),
        ] as [(Bool, [String: String], Bool)])
    func usesColoursOnlyOnCapableTerminals(isTerminal: Bool, environment: [String: String], expected: Bool) {
        #expect(TextStyle(isTerminal: isTerminal, environment: environment).isColoured == expected)
    }
}
