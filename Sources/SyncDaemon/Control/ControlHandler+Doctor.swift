import ControlAPI
import ControlServer

extension ControlHandler {
    func doctor(_ request: NoInput, by caller: Caller) async throws -> DoctorReport {
        DoctorReport(findings: Diagnosis(facts: try await examination.facts(for: caller)).findings)
    }
}
