import Backends
import SyncModel

extension Backend {
    /// Nil if the server answers 401.
    func signOut(
        _ template: RequestTemplate, _ values: TemplateValues, over transport: any Transport, authorize: (inout OutboundRequest) -> Void
    ) async -> SignOutOutcome.Server? {
        do {
            var request = try template.render(values)
            request.isBrief = true
            if isOwn(request) { authorize(&request) }
            let response = try await transport.send(request)
            if let failure = interception(in: response, mayBeEmpty: true) { return .failed(failure.message) }
            if response.isSuccess, !saysFailure(response) { return .ended }
            if response.status == 401, !response.isPage { return nil }
            if response.status == 404, !response.isPage { return .alreadyGone }
            return .failed(profile.errors.words(of: response) ?? "The backend answered \(response.status).")
        } catch let error as TransportError {
            return .failed(error.failure.message)
        } catch let failure as Failure {
            return .failed(failure.message)
        } catch {
            return .failed("\(error)")
        }
    }
}
