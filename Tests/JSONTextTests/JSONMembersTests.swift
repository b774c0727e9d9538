import JSONText
import Testing

@Suite struct JSONMembersTests {
    @Test func whatAMemberHoldsIsTakenAsItStands() throws {
        let members = try #require(
            JSONMembers(
                ["a", "b", "c", "d", "e"], of: #" {"a" : {"z": 1.50, "y":[ -0.0 ]}, "b":5, "c":5.0, "d":"\u00e9", "x":0, "e":[1]}"#))
        #expect(members["a"]?.object == #"{"z":1.50,"y":[-0.0]}"#)
        #expect(members["b"]?.whole == 5 && members["c"]?.whole == 5 && members["d"]?.string == "é")
        #expect(members["e"]?.object == nil && members["e"]?.whole == nil && members["b"]?.string == nil && members["x"]?.whole == nil)
        #expect(!members.isRepeated("a") && !members.isRepeated("x"))
    }

    @Test(arguments: ["[]", "5", "\"a\"", "null", "{", ""]) func whatIsNoObjectHasNone(text: String) {
        #expect(JSONMembers(["a"], of: text) == nil)
    }

    /// However it is written, a name is the same; one that goes on behind a NUL is another.
    @Test func aNameIsWhatItSays() throws {
        let members = try #require(JSONMembers(["userId", "a_b"], of: #"{"user\u0049d":5,"a_b\u0000":1,"userId\u0000x":7,"a_b":2}"#))
        #expect(members["userId"]?.whole == 5 && !members.isRepeated("userId"))
        #expect(members["a_b"]?.whole == 2 && !members.isRepeated("a_b"))
        #expect(try #require(JSONMembers(["userId"], of: #"{"user\u0049d":5,"userId":6}"#)).isRepeated("userId"))
    }
}
