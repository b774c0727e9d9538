import Backends
import SyncModel

extension Backend {
    /// Nil if the server answers 401.
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
        if response.status == 401, !response.isPage { return nil }
        if response.status == 404, !response.isPage { return .alreadyGone }
        return .failed(profile.errors.words(of: response) ?? "The backend answered \(response.status).")
    }
}
