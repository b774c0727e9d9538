import Foundation
import SyncModel

extension Backend {
    /// Whether an answer to a sign-in refuses the person, or says nothing about them.
    func loginRefusal(_ response: InboundResponse) -> AuthenticationError {
        let errors = profile.errors
        let (status, code) = (response.status, errors.code(of: response))
        let said = errors.sentence(of: response)
        let words = said ?? "The backend refused the sign-in (\(status))."
        // An application that is ill may say anything of itself: “database is locked” is no word about the person.
        let isIll = status >= 500
        if !isIll, response.isJSON, saysLocked(status, code, said) { return .locked(said ?? "The account is locked (\(status)).") }
        if !isIll, let code, errors.relogin.contains(code) { return .refused(words) }
        if status == 429 || (status == 503 && response[header: "Retry-After"] != nil) || code.map(errors.retry.contains) == true {
            return .unavailable(Failure(.throttled, status: status, tooManyAttempts(response, said)))
        }
        // Many servers refuse without a word.
        if status == 401, !response.isPage { return .refused(words) }
        guard response.isJSON else {
            let kind: Failure.Reason = status < 500 ? .intercepted : .serverError
            return .unavailable(Failure(kind, status: status, "The backend could not sign anybody in (\(status))."))
        }
        // Only what speaks of the person counts: a 404 of a half-finished deployment must not cost them the kept password.
        switch status {
        case 400 where !errors.speaksOfThePerson(code), 403 where !errors.speaksOfThePerson(code), 404, 405, 406, 410, 415:
            let reason = said.map { ": \($0)" } ?? "."
            return .unavailable(
                Failure(.profile, status: status, "The backend does not take the sign-in as its profile describes it (\(status))\(reason)"))
        case 200..<300, 400, 401, 403, 422: return .refused(words)
        default: return .unavailable(Failure(.serverError, status: status, said ?? "The backend could not sign anybody in (\(status))."))
        }
    }

    /// Whether the account is locked: by the status (RFC 4918 11.3), the code or the words. A warning that it will be is none.
    private func saysLocked(_ status: Int, _ code: String?, _ words: String?) -> Bool {
        if status == 423 { return true }
        return [code, words].contains { text in
            let words = (text ?? "").lowercased().split { !$0.isLetter }
            return words.contains("locked") && !words.contains("before")
        }
    }

    private func tooManyAttempts(_ response: InboundResponse, _ said: String?) -> String {
        let words =
            said.map { "\($0)\(".!?".contains($0.last ?? " ") ? "" : ".")" } ?? "The backend asks for fewer sign-ins (\(response.status))."
        guard let wait = RetryAfter.wait(response) else { return words }
        let minutes = Int((wait / 60).rounded(.up))
        return "\(words) It can be tried again in \(minutes == 1 ? "a minute" : "\(minutes) minutes")."
    }
}

extension ErrorRules {
    /// Whether a refusal with this code is about the person: where the profile has words for its codes, any other code is about the request.
    fileprivate func speaksOfThePerson(_ code: String?) -> Bool { sentences.isEmpty || code.map { sentences[$0] != nil } == true }
}
