import Foundation
import Sandbox
import Testing

@Suite struct CapturedExchangesTests {
    /// Labels without a complete captured answer. Each has its own test.
    static let notReplayed = [
        "csrf_token": "only the length was printed: aTokenHas86Characters",
        "TIMEOUT: same, following redirects as GET (URLSession)": "the client never follows redirects: theSignInPageDoesNotExist",
        "LOGOUT Accept */* following redirect": "the client never follows redirects: theSignInPageDoesNotExist",
        "CSRF reuse: same token used 3 times": "only statuses were printed: aTokenWorksMoreThanOnce",
        "extra keys in arkit_data + duplicate detection":
            "only a summary was printed: listsMeasurementsNewestFirst",
        "chunked request body": "only statuses were printed: aChunkedBodyIsRead",
        "304 support": "only the status was printed: anUnchangedAnswerIsNotSentAgain",
        "LOCK: account 'lockme'": "only a table was printed: twentiethWrongPasswordLocksAccount",
        "login email case/space tolerant": "only the status was printed: emailIgnoresCaseAndSurroundingSpaces",
        "lost response: full request sent, socket closed at once": "only row counts were printed: commitThenCutCommitsAndCutsConnection",
        "8 parallel identical POSTs": "only statuses were printed: identicalRequestsMakeOneRowEach",
        "truncated body (Content-Length larger than sent, then close)": "only row counts were printed: anUnfinishedBodyHasNoEffect",
        "managed_users GET paging: per_page=100 + total_count": "only counts were printed: aPageHolds25AndAtMost100",
    ]

    @Test func everyCapturedExchangeIsReplayedOrExplained() throws {
        let captured = try Set(CapturedAnswer.read(fixture("breathesafe-exchanges.txt")).map(\.label))
        let replayed = Set(Replay.all.map(\.label))
        #expect(replayed.count == Replay.all.count)
        #expect(captured.subtracting(replayed).symmetricDifference(Self.notReplayed.keys) == [])
        #expect(replayed.subtracting(captured) == [])
    }

    @Test(arguments: Replay.all)
    func sandboxAnswersLikeRealBackend(_ replay: Replay) async throws {
        let captured = try CapturedAnswer.read(fixture("breathesafe-exchanges.txt"))
        let expected = try #require(captured.first { $0.label == replay.label }).answers
        let (answers, host) = try await withSandbox(replay.backend) { sandbox, client async throws in
            (try await replay.steps(sandbox, client), String(sandbox.baseURL.dropFirst("http://".count)))
        }
        #expect(answers.count == expected.count)
        for (answer, expected) in zip(answers, expected) {
            #expect(answer.differences(from: expected, host: host) == [])
        }
    }

    @Test func detectsDifferingAnswer() throws {
        let captured = try CapturedAnswer.read(fixture("breathesafe-exchanges.txt"))
        let expected = try #require(captured.first { $0.label == "arkit POST for unmanaged user 2" }?.answers.first)
        let body = #"{"facial_measurement":[],"messages":["Not yours."],"more":1}"#
        let answer = LabAnswer(
            status: 401, headers: [("content-type", "text/html"), ("set-cookie", "CSRF-TOKEN=x; path=/")].headers, body: Array(body.utf8))
        #expect(answer.differences(from: expected, host: "").count == 6)
    }
}
