import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct CaptureDocumentTests {
    @Test(arguments: [#"{"b": 1, "a": [2]}"#, "[1, 2]", #"{"measurements": {}}"#, #"{"userId": 5}"#, "{}\n"])
    func plainPayloadIsSentUnchanged(text: String) throws {
        let document = try CaptureDocument(Data(text.utf8), from: "a.json")
        #expect(document.payload == Data(text.utf8) && document.userID == nil)
    }

    @Test(arguments: [("5", "5"), (#""5""#, "5"), ("9007199254740993", "9007199254740993")])
    func appFileYieldsMeasurementsAndUser(user: String, expected: String) throws {
        let text = #"{"timestamp": 1.5, "userId": \#(user), "retryCount": 2, "measurements": {"b": 13.7286739349365230, "a": "x/y"}}"#
        let document = try CaptureDocument(Data(text.utf8), from: "a.json")
        #expect(String(decoding: document.payload, as: UTF8.self) == #"{"b": 13.7286739349365230, "a": "x/y"}"#)
        #expect(document.userID == expected)
    }

    @Test(arguments: [
        "", "no json", #"{"a": 1"#, "5", #"{"measurements": [], "userId": 5}"#, #"{"measurements": {}, "userId": null}"#,
        #"{"measurements": {}, "userId": true}"#, #"{"measurements": {}, "userId": 5, "userId": 6}"#, "[1e999]",
        #"{"measurements": {}, "userId": 5.5}"#, #"{"measurements": {}, "userId": ""}"#,
    ])
    func invalidFileIsRefusedByName(text: String) {
        let problem = #expect(throws: Problem.self) { try CaptureDocument(Data(text.utf8), from: "‘a.json’") }
        #expect(problem?.detail.hasPrefix("‘a.json’ cannot be sent: ") == true)
        #expect(problem?.code == .invalidRequest && problem?.next != nil)
    }

    /// A parser that backtracks would take fifteen minutes.
    /// A parser that goes back takes longer than the limit.
    @Test(.timeLimit(.minutes(5))) func readsDeepNestingQuicklyUpToLimit() throws {
        let flags = Array(repeating: "true", count: 1 << 16).joined(separator: ",")
        let deep = String(repeating: "[", count: 400) + flags + String(repeating: "]", count: 400)
        #expect(try CaptureDocument(Data(deep.utf8), from: "a.json").payload == Data(deep.utf8))
        let file = try CaptureDocument(Data(#"{"measurements":{"a":\#(deep)},"userId":5}"#.utf8), from: "a.json")
        #expect(file.payload == Data(#"{"a":\#(deep)}"#.utf8))
        let deeper = String(repeating: "[", count: 600) + flags + String(repeating: "]", count: 600)
        let problem = #expect(throws: Problem.self) { try CaptureDocument(Data(deeper.utf8), from: "‘a.json’") }
        #expect(problem?.detail == "‘a.json’ cannot be sent: it has more than 500 levels of arrays and objects.")
    }

    @Test func appFileMayBeginWithByteOrderMark() throws {
        let document = try CaptureDocument(Data("\u{feff}{\"measurements\": {}, \"userId\": 5}".utf8), from: "a.json")
        #expect(document.payload == Data("{}".utf8) && document.userID == "5")
    }

    @Test func otherEncodingsAreRefused() throws {
        let utf16 = try #require(#"{"a": 1}"#.data(using: .utf16LittleEndian)) + Data([0xd8])
        #expect(throws: Problem.self) { try CaptureDocument(utf16, from: "a.json") }
    }

    @Test func terminalInputAndUnreadableFilesAreRefused() {
        #expect(throws: Problem.self) { try SubmissionInput(name: "-").document(inputIsTerminal: true) }
        #expect(throws: Problem.self) { try SubmissionInput(name: "/nowhere/a.json").document(inputIsTerminal: false) }
        #expect(throws: Problem.self) { try SubmissionInput(name: "/").document(inputIsTerminal: false) }
    }
}
