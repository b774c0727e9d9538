import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct CaptureDocumentTests {
    @Test(arguments: [#"{"b": 1, "a": [2]}"#, "[1, 2]", #"{"measurements": {}}"#, #"{"userId": 5}"#, "{}\n"])
    func aPlainDocumentIsSentByteForByte(text: String) throws {
        let document = try CaptureDocument(Data(text.utf8), from: "a.json")
        #expect(document.payload == Data(text.utf8) && document.userID == nil)
    }

    @Test(arguments: [("5", "5"), (#""5""#, "5"), ("9007199254740993", "9007199254740993")])
    func theAppsOwnFileGivesItsMeasurementsAndTheirUser(user: String, expected: String) throws {
        let text = #"{"timestamp": 1.5, "userId": \#(user), "retryCount": 2, "measurements": {"b": 13.728673934936523, "a": "x/y"}}"#
        let document = try CaptureDocument(Data(text.utf8), from: "a.json")
        #expect(String(decoding: document.payload, as: UTF8.self) == #"{"a":"x/y","b":13.728673934936523}"#)
        #expect(document.userID == expected)
    }

    @Test(arguments: [
        "", "no json", #"{"a": 1"#, "5", #"{"measurements": [], "userId": 5}"#, #"{"measurements": {}, "userId": null}"#,
        #"{"measurements": {}, "userId": true}"#, #"{"measurements": {}, "userId": 5.5}"#, #"{"measurements": {}, "userId": ""}"#,
    ])
    func whatCannotBeSentIsRefusedByName(text: String) {
        let problem = #expect(throws: Problem.self) { try CaptureDocument(Data(text.utf8), from: "‘a.json’") }
        #expect(problem?.detail.hasPrefix("‘a.json’ cannot be sent: ") == true)
        #expect(problem?.code == .invalidRequest && problem?.next != nil)
    }

    @Test func otherEncodingsAreRefused() throws {
        let utf16 = try #require(#"{"a": 1}"#.data(using: .utf16LittleEndian)) + Data([0xd8])
        #expect(throws: Problem.self) { try CaptureDocument(utf16, from: "a.json") }
    }

    @Test func standardInputAtATerminalIsAQuestionForAFile() {
        #expect(throws: Problem.self) { try SubmissionInput(name: "-").document(inputIsTerminal: true) }
        #expect(throws: Problem.self) { try SubmissionInput(name: "/nowhere/a.json").document(inputIsTerminal: false) }
        #expect(throws: Problem.self) { try SubmissionInput(name: "/").document(inputIsTerminal: false) }
    }
}
