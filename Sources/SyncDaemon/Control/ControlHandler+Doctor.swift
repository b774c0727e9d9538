import ControlAPI
import ControlServer

extension ControlHandler {
    func doctor(_ request: NoInput, by caller: Caller) async throws -> DoctorReport {
        let facts = try await examination.facts(for: caller)
        return DoctorReport(findings: Diagnosis(facts: facts).findings, settings: examination.settings)
    }
}
