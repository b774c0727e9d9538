import SyncModel

extension Backend {
    /// Whether an answer to a sign-in refuses the person, or says nothing about them.
    func loginRefusal(_ response: InboundResponse) -> AuthenticationError {
        let errors = profile.errors
        let code = errors.code(of: response)
        let words = errors.words(of: response) ?? "The backend refused the sign-in (\(response.status))."
        if let code, errors.relogin.contains(code) { return .refused(words) }
        if response.status == 429 || code.map(errors.retry.contains) == true {
            return .unavailable(Failure(.throttled, status: response.status, words))
        }
        // Only what speaks of the person counts: a 404 of a half-finished deployment must not cost them the kept password.
        if response.isJSON, response.isSuccess || [400, 401, 403, 422].contains(response.status) { return .refused(words) }
        let kind: Failure.Reason = response.status < 500 && !response.isJSON ? .intercepted : .serverError
        return .unavailable(Failure(kind, status: response.status, "The backend could not sign anybody in (\(response.status))."))
    }
}
