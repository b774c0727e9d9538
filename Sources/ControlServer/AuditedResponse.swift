import ControlAPI
import HTTPTypes

/// A response that names the object of its call, because the request may have only a number, or nothing.
protocol AuditedResponse {
    var auditTarget: String? { get }
    /// True for 201 (Created), false for 200 (OK).
    var isCreation: Bool { get }
}

extension AuditedResponse {
    var isCreation: Bool { false }
}

extension EntrySummary: AuditedResponse {
    var auditTarget: String? { id }
}

extension SubmissionReceipt: AuditedResponse {
    var auditTarget: String? { id }
    var isCreation: Bool { !duplicate }
}

extension ExportedEntry: AuditedResponse {
    var auditTarget: String? { entry.id }
}

extension SessionReport: AuditedResponse {
    var auditTarget: String? { backend }
    var isCreation: Bool { true }
}

extension SignOutReport: AuditedResponse {
    var auditTarget: String? { backend }
}

extension ClaimReport: AuditedResponse {
    var auditTarget: String? { account }
}

extension HTTPResponse.Status {
    /// The status of an answer without an error.
    static func success(of answer: Any) -> Self { (answer as? any AuditedResponse)?.isCreation == true ? .created : .ok }
}
