import Foundation
import SyncModel

extension Backend {
    /// What an answer means for the mutation that it answers.
    package func verdict(on response: InboundResponse, to mutation: Mutation, at now: Date) -> Verdict {
        let route = profile.routes[mutation.route]
        if let interception = interception(in: response, mayBeEmpty: route?.allowsEmpty ?? false) { return .intercepted(interception) }
        guard response.isSuccess, !saysFailure(response) else { return refusal(response, route: route, at: now) }
        if let missing = route?.promises.first(where: { response.json?.has($0) != true }) {
            return .unknown(
                Failure(
                    .serverError, status: response.status, "The backend answered \(response.status) without \(missing), which it promises.",
                    outcomeUnknown: true))
        }
        guard let pointer = route?.remoteID else { return .accepted(Receipt(remoteID: nil, status: response.status, at: now)) }
        guard let remoteID = response.json?.at(pointer)?.text else {
            return .unknown(
                Failure(
                    .serverError, status: response.status, "The backend answered \(response.status) without the id that it promises.",
                    outcomeUnknown: true))
        }
        return .accepted(Receipt(remoteID: remoteID, status: response.status, at: now))
    }

    /// Somebody else's answer: a redirect, a proxy's own status, or a success that is no JSON.
    func interception(in response: InboundResponse, mayBeEmpty: Bool = false) -> Failure? {
        let isEmpty = response.body.allSatisfy(\.isJSONSpace)
        let what: String
        switch response.status {
        case 300..<400: what = "a redirect (\(response.status)) came back"
        case 403 where !response.isJSON: what = "a page refuses the way (403)"
        case 407, 511: what = "it wants a sign-in of its own (\(response.status))"
        case 200..<300 where isEmpty && !mayBeEmpty: what = "an empty answer came back (\(response.status))"
        case 200..<300 where !isEmpty && !response.isJSON: what = "a page came back instead of JSON (\(response.status))"
        default: return nil
        }
        return Failure(.intercepted, status: response.status, "A login page or proxy is in the way: \(what).")
    }

    /// A flag in the body that takes back what the status says.
    func saysFailure(_ response: InboundResponse) -> Bool { profile.errors.ok.flatMap { response.json?.at($0) } == .bool(false) }

    /// What an answer that is no success means. Without a route (a look-up) nothing has been sent that could have taken effect.
    func refusal(_ response: InboundResponse, route: Route?, at now: Date) -> Verdict {
        let status = response.status
        let errors = profile.errors
        let message = errors.words(of: response) ?? Self.sentence(response)
        func failure(_ reason: Failure.Reason) -> Failure { Failure(reason, status: status, message) }
        let throttled = Verdict.throttled(
            failure(.throttled), until: RetryAfter.read(response, now: now) ?? now.addingTimeInterval(RetryAfter.fallback))
        let asksForQuiet = status == 429 || (status == 503 && response[header: "Retry-After"] != nil)

        if let code = errors.code(of: response) {
            if errors.auth.contains(code) { return .unauthorized(failure(.signInRequired)) }
            if errors.dead.contains(code) { return .permanent(failure(.refused)) }
            if errors.retry.contains(code) { return asksForQuiet ? throttled : .transient(failure(.serverError)) }
        }
        if let route, route.unknownOn.contains(status) {
            return .unknown(Failure(.serverError, status: status, message, outcomeUnknown: true))
        }
        switch status {
        case _ where asksForQuiet: return throttled
        case 200..<300: return .permanent(failure(.refused))
        case 401: return .unauthorized(failure(.signInRequired))
        case 403: return .forbidden(failure(.forbidden))
        case 404 where route?.goneIsDone == true && response.isJSON:
            return .accepted(Receipt(remoteID: nil, status: status, at: now))
        case 423: return .locked(failure(.serverError), until: RetryAfter.read(response, now: now))
        case 408, 421, 425: return .transient(failure(.serverError))
        case 409 where profile.idempotency != nil: return .transient(failure(.serverError))
        case 500... where status != 501 && status != 505: return .transient(failure(.serverError))
        default: return response.isJSON ? .permanent(failure(.refused)) : .transient(failure(.serverError))
        }
    }

    private static func sentence(_ response: InboundResponse) -> String {
        let kind = response.isJSON ? "" : " with a page instead of JSON"
        switch response.status {
        case 200..<300: return "The backend says that it failed."
        case 401: return "The backend says that nobody is signed in (401)."
        case 403: return "The backend does not allow this for the account (403)."
        case 423: return "The backend says that something else is at work on what it would change (423)\(kind)."
        case 429: return "The backend asks for fewer requests (429)."
        case 500...: return "The backend failed (\(response.status))\(kind)."
        default: return "The backend refused it (\(response.status))\(kind)."
        }
    }
}
