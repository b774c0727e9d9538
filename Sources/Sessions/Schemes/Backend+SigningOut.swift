import Backends
import SyncModel

extension Backend {
    /// Nil if the server answers 401. A 401 or 404 that is neither JSON nor declared by the profile may be a gateway's, and is a failure.
    func signOut(
        _ template: RequestTemplate, _ values: TemplateValues, over transport: any Transport, authorize: (inout OutboundRequest) -> Void
    ) async -> SignOutOutcome.Server? {
        var request: OutboundRequest
        do { request = try template.render(values) } catch { return .failed(error.message) }
        request.isBrief = true
        if isOwn(request) { authorize(&request) }
        let response: InboundResponse
        do { response = try await transport.send(request) } catch { return .failed(error.failure.message) }
        if let failure = interception(in: response, mayBeEmpty: true) { return .failed(failure.message) }
        if response.isSuccess, !saysFailure(response) { return .ended }
        let isOwn = response.isJSON || profile.errors.endsSession(response)
        if response.status == 401, isOwn { return nil }
        if response.status == 404, isOwn { return .alreadyGone }
        return .failed(profile.errors.words(of: response) ?? "The backend answered \(response.status).")
    }
}
