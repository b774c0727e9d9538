import Foundation
import JSON
import SyncModel

extension Backend {
    package func verdict(on response: InboundResponse, to mutation: Mutation, at now: Date) -> Verdict {
        let route = profile.routes[mutation.route]
        if var interception = interception(in: response, mayBeEmpty: route?.allowsEmpty ?? false) {
            // A success without its content proves nothing.
            interception.outcomeUnknown = response.isSuccess || mayFollowWork(response)
            return .intercepted(interception)
        }
        guard response.isSuccess, !saysFailure(response) else { return refusal(response, route: route, at: now) }
        func open(_ message: String) -> Verdict {
            .unknown(Failure(route?.unproven ?? .serverError, status: response.status, message, outcomeUnknown: true))
        }
        if let missing = route?.promises.first(where: { response.json?.has($0) != true }) {
            return open("\(name) answered \(response.status) without \(missing), which the profile promises.")
        }
        var receipt = Receipt(remoteID: nil, status: response.status, at: now)
        if let route, let other = difference(of: response, from: mutation, route) { return other }
        if let route, !route.remoteID.isEmpty {
            guard let id = remoteID(response.json?.at(route.remoteID), of: route) else {
                let missing = route.rows.creates == nil ? "the id that the profile promises" : "a usable id of the new row"
                return open("\(name) answered \(response.status) without \(missing).")
            }
            receipt.remoteID = id
        }
        receipt.altered = route?.echo.flatMap { alteration(of: mutation, in: response.json?.root.element(at: $0)) }
        return .accepted(receipt)
    }

    /// The verdict on a success with other values than the entry's: it took effect, but differently, so it is not resent.
    private func difference(of response: InboundResponse, from mutation: Mutation, _ route: Route) -> Verdict? {
        for (pointer, template) in route.repeats {
            // `try?`: the request was made from the same fields.
            let value = try? template.render(.of(mutation))
            guard let found = response.json?.at(pointer)?.identifier else {
                let message = "\(name) answered \(response.status) without \(pointer), which the profile promises."
                return .unknown(Failure(route.unproven, status: response.status, message, outcomeUnknown: true))
            }
            if found == value { continue }
            let id = remoteID(response.json?.at(route.remoteID), of: route).map { " as \($0.prefix(100))" } ?? ""
            let done = "\(name) \(route.rows.creates == nil ? "stored" : "created") it\(id)"
            let message = "\(done), but with \(found.prefix(100)) at \(pointer) instead of \(value ?? "the entry's")."
            return .unknown(Failure(.misplaced, status: response.status, message, outcomeUnknown: true))
        }
        return nil
    }

    /// The server may have done the work before a redirect: usual for 303, possible for 302 to the same server (RFC 9110 15.4).
    private func mayFollowWork(_ response: InboundResponse) -> Bool {
        switch response.status {
        case 303: return true
        case 302:
            guard let location = response[header: "Location"], let base = URL(string: profile.address) else { return false }
            return URL(string: location, relativeTo: base).flatMap { Origin($0.absoluteString) } == profile.origin
        default: return false
        }
    }

    /// Nil without a difference or an echo.
    func alteration(of mutation: Mutation, in echo: JSONElement?) -> String? {
        guard let payload = mutation.payload, let echo else { return nil }
        return JSONDocument(checked: payload).root.firstDifference(in: echo)?.description
    }

    /// An answer from a third party: a redirect, a proxy's status or page, or a success that is not JSON.
    package func interception(in response: InboundResponse, mayBeEmpty: Bool = false) -> Failure? {
        let isEmpty = response.body.allSatisfy(\.isJSONSpace)
        let what: String
        switch response.status {
        case 300..<400: what = "a redirect (\(response.status)) came back"
        case 401 where response.isPage, 403 where response.isPage: what = "a page that refuses the request came back (\(response.status))"
        case 407, 511: what = "it requires its own sign-in (\(response.status))"
        case 200..<300 where isEmpty && !mayBeEmpty: what = "an empty answer came back (\(response.status))"
        case 200..<300 where !isEmpty && !response.isJSON: what = "a page came back instead of JSON (\(response.status))"
        default: return nil
        }
        return Failure(.intercepted, status: response.status, "A login page or proxy is in the way: \(what).")
    }

    /// True when a flag in the body contradicts a success status.
    package func saysFailure(_ response: InboundResponse) -> Bool { profile.errors.ok.flatMap { response.json?.at($0) } == .bool(false) }

    /// `route` is nil for a look-up, which has no effect. Only declared answers are final: others may come from a gateway
    /// (DeclaredRefusals).
    func refusal(_ response: InboundResponse, route: Route?, at now: Date) -> Verdict {
        let status = response.status
        let errors = profile.errors
        let message = message(of: response)
        // The work may still have been done (RFC 9110 15.6).
        func failure(_ reason: Failure.Reason) -> Failure {
            Failure(reason, status: status, message, outcomeUnknown: route != nil && status >= 500)
        }
        let throttled = Verdict.throttled(
            failure(.throttled), until: RetryAfter.read(response, now: now) ?? now.addingTimeInterval(RetryAfter.fallback))

        if let code = errors.code(of: response), status < 500 {
            if errors.auth.contains(code) { return .unauthorized(failure(.signInRequired)) }
            if errors.dead.contains(code) { return .permanent(failure(.refused)) }
            if errors.forbidden.contains(code) { return .forbidden(failure(.forbidden)) }
            if let route, let code = errors.codeAsWritten(in: response), route.gone.contains(code), status == 404 || status == 410 {
                return .accepted(Receipt(remoteID: nil, status: status, at: now))
            }
        }
        if let route, route.unknownOn.contains(status) {
            return .unknown(Failure(.serverError, status: status, message, outcomeUnknown: true))
        }
        switch status {
        case _ where response.asksForPause: return throttled
        case 401: return .unauthorized(failure(.signInRequired))
        case 423: return .locked(failure(.serverError), until: RetryAfter.read(response, now: now))
        case 408, 421, 425, 500...: return .transient(failure(.serverError))
        case 409 where profile.idempotency != nil: return .transient(failure(.serverError))
        case _ where errors.code(of: response).map(errors.retry.contains) == true: return .transient(failure(.serverError))
        case 403: return .transient(failure(.forbidden))
        default: return .transient(failure(.refused))
        }
    }

    /// The server's words if available.
    func message(of response: InboundResponse) -> String {
        guard let words = profile.errors.words(of: response) else { return sentence(response) }
        return Failure.answer(words, of: name)
    }

    /// Without the server's words.
    func sentence(_ response: InboundResponse) -> String {
        let kind = response.isJSON || response.body.isEmpty ? "" : ", with a page instead of JSON"
        let status = response.status
        switch status {
        case 200..<300: return "\(name) answered that the request failed (\(status))."
        case 401: return "\(name) answered that the session is not valid (401)."
        case 403: return "\(name) answered that the account is not allowed to do this (403)\(kind)."
        case 404, 410: return "\(name) answered that the requested resource does not exist (\(status))\(kind)."
        case 413: return "\(name) answered that the request is too large (413)\(kind)."
        case 423: return "\(name) answered that the requested resource is locked (423)\(kind)."
        case 429: return "\(name) asked for fewer requests (429)."
        case 500...: return "\(name) answered with a server error (\(status))\(kind)."
        default: return "\(name) answered with an error (\(status))\(kind)."
        }
    }
}

extension Route {
    /// The reason for a success without the promised content. A created row may exist, and a resend would make another.
    fileprivate var unproven: Failure.Reason { rows.creates == nil ? .serverError : .refused }
}
