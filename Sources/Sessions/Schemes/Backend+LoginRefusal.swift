import Backends
import Foundation
import SyncModel

extension Backend {
    /// Separates a certain refusal of the person from an unclear answer.
    func loginRefusal(_ response: InboundResponse) -> SignInError {
        let errors = profile.errors
        let (status, code) = (response.status, errors.code(of: response))
        let said = errors.sentence(of: response)
        let words = said ?? "the server answered with status \(status)"
        if errors.refusesCredentials(response) { return saysLocked(status, code, said) ? .locked(words) : .refused(words) }
        if response.asksForPause || errors.allowsRetry(code) {
            var failure = Failure(.throttled, status: status, tooManyAttempts(response, said))
            failure.wait = RetryAfter.wait(response).map { Int($0.rounded(.up)) }
            return .unavailable(failure)
        }
        guard response.isJSON || (status == 401 && !response.isPage) else {
            let kind: Failure.Reason = status < 500 ? .intercepted : .serverError
            return .unavailable(Failure(kind, status: status, "The backend did not complete the sign-in (\(status))."))
        }
        switch status {
        // If the profile has sentences for codes about people, other codes concern the request.
        case 400 where errors.isAboutTheRequest(code), 403 where errors.isAboutTheRequest(code), 404, 405, 406, 410, 415:
            let reason = said.map { ": \($0)" } ?? "."
            return .unavailable(
                Failure(
                    .profile, status: status,
                    "The backend does not accept the sign-in request that its profile describes (\(status))\(reason)"))
        // The sender may be the backend or a gateway.
        case 200..<300, 400, 401, 403, 422, 423: return .undeclared(Failure(.signInRequired, status: status, undeclared(status, said)))
        default: return .unavailable(Failure(.serverError, status: status, said ?? "The backend did not complete the sign-in (\(status))."))
        }
    }

    private func undeclared(_ status: Int, _ said: String?) -> String {
        "the server refused the sign-in (\(status))\(said.map { ": \($0)" } ?? " and gave no reason.")"
    }

    /// True if status (RFC 4918 11.3), code or message report a lock. A warning before a lock does not count.
    private func saysLocked(_ status: Int, _ code: String?, _ words: String?) -> Bool {
        if status == 423 { return true }
        return [code, words].contains { text in
            let words = (text ?? "").lowercased().split { !$0.isLetter }
            return words.contains("locked") && !words.contains("before")
        }
    }

    private func tooManyAttempts(_ response: InboundResponse, _ said: String?) -> String {
        let words =
            said.map { "\($0)\(".!?".contains($0.last ?? " ") ? "" : ".")" }
            ?? "The backend asked Homing to wait before the next sign-in (\(response.status))."
        guard let wait = RetryAfter.wait(response) else { return words }
        let minutes = Int((wait / 60).rounded(.up))
        return "\(words) The next sign-in is possible in \(minutes == 1 ? "a minute" : "\(minutes) minutes")."
    }
}

extension ErrorRules {
    fileprivate func isAboutTheRequest(_ code: String?) -> Bool { !sentences.isEmpty && code.map { sentences[$0] == nil } ?? true }
}
