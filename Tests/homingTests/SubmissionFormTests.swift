import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct SubmissionFormTests {
    private let offline = Data(#"{"measurements": {"a": 1}, "userId": 5}"#.utf8)

    private func form(user: String? = nil, items: [ItemField] = [], id: String? = nil, supersedes: String? = nil) throws -> SubmissionForm {
        let user = user.map { [ItemField(name: "user_id", value: $0)] } ?? []
        return try SubmissionForm(backend: "b", route: "measurement", items: items + user, id: id, supersedes: supersedes)
    }

    @Test func userOptionSetsUserIDField() throws {
        let minted = UUID()
        let submission = try form(user: "5", items: [ItemField(name: "note", value: "x")])
            .submission(of: CaptureDocument(Data("{}".utf8), from: "a"), named: "a", mintedID: minted)
        #expect(submission.fields == ["user_id": "5", "note": "x"])
        #expect(submission.id == minted.uuidString.lowercased())
        #expect(submission.payload == Data("{}".utf8) && submission.route == "measurement" && submission.backend == "b")
        #expect(!submission.strict)
    }

    @Test func passesStrictOn() throws {
        var form = try form(user: "5")
        form.strict = true
        #expect(try form.submission(of: nil, named: "a", mintedID: UUID()).strict)
    }

    @Test func keepsGivenID() throws {
        let submission = try form(id: Sample.id(1).uppercased(), supersedes: Sample.id(2).uppercased())
            .submission(of: nil, named: "a", mintedID: UUID())
        #expect(submission.id == Sample.id(1) && submission.supersedes == Sample.id(2) && submission.payload == nil)
    }

    @Test func takesUserFromFile() throws {
        for user in [nil, "5"] {
            let submission = try form(user: user).submission(of: CaptureDocument(offline, from: "a"), named: "a", mintedID: UUID())
            #expect(submission.fields == ["user_id": "5"])
        }
    }

    @Test func aFileOfAnotherUserIsRefused() throws {
        let form = try form(user: "6")
        let problem = #expect(throws: Problem.self) {
            try form.submission(of: CaptureDocument(offline, from: "a.json"), named: "a.json", mintedID: UUID())
        }
        #expect(problem?.detail == "a.json was captured for user 5, but the options say user 6.")
        #expect(problem?.code == .invalidRequest)
    }

    @Test func contradictoryOptionsAreRefused() {
        #expect(throws: Problem.self) { try form(user: "5", items: [ItemField(name: "user_id", value: "6")]) }
        #expect(throws: Problem.self) { try form(items: [ItemField(name: "a", value: "1"), ItemField(name: "a", value: "2")]) }
        #expect(throws: Problem.self) { try form(id: "12") }
        #expect(throws: Problem.self) { try form(supersedes: "12") }
        #expect(throws: Never.self) { try form(user: "5", items: [ItemField(name: "user_id", value: "5")]) }
    }
}
