import ControlAPI
import ControlServer

extension ControlHandler {
    /// Examines the station for administrators: opens a connection to each backend, and looks at files, the disk and the clock.
    func doctor(_ request: NoInput, by caller: Caller) async throws -> DoctorReport {
        // No error: it would be a refused call in the audit.
        guard caller.access >= .administer else {
            let role = Diagnosis.role(of: UserName(caller.peer.uid).short, caller.access, through: caller.group)
            return DoctorReport(findings: [role])
        }
        let facts = try await examination.facts(for: caller)
        return DoctorReport(findings: Diagnosis(facts: facts).findings, settings: examination.settings)
    }
}
