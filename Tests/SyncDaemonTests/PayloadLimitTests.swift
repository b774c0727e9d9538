import Capture
import ControlAPI
import Testing

@Suite struct PayloadLimitTests {
    /// The client refuses a larger file before it is sent.
    @Test func clientAndDaemonHaveTheSameLimit() {
        #expect(ControlAPI.Submission.largestPayload == Capture.Intake.largestPayload)
        #expect(Endpoints.submit.largestBody > ControlAPI.Submission.largestPayload)
    }
}
