import SyncModel

extension Backend {
    /// Sends the request that ends a session; what the server said.
    ///
    /// - Parameter unauthorizedMeansGone: false where a 401 says nothing but that the token sent has ended.
    func signOut(
        _ template: RequestTemplate, _ values: TemplateValues, unauthorizedMeansGone: Bool = true, over transport: any Transport,
        authorize: (inout OutboundRequest) -> Void
    ) async -> SignOutOutcome.Server {
        do {
            var request = try template.render(values)
            authorize(&request)
            let response = try await transport.send(request)
            if let failure = interception(in: response, mayBeEmpty: true) { return .failed(failure.message) }
            if response.isSuccess, !saysFailure(response) { return .ended }
            if response.status == 401, !response.isPage, !unauthorizedMeansGone {
                return .failed("The token had ended and could not be renewed.")
            }
            if response.status == 401 || response.status == 404, !response.isPage { return .alreadyGone }
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
