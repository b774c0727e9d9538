import Crypto
import Foundation
import HTTPTypes

extension BreatheSafeState {
    /// Answers one request in Rails' order: route, parameters, CSRF, session, controller, format, cookies.
    mutating func answer(_ sent: SandboxRequest, at now: Date) -> (SandboxResponse, Commit?) {
        let request = sent.withRackMethod
        let isHead = request.method == "HEAD"
        var (response, commit) = answerWhole(request, isHead: isHead, at: now)
        if isHead { response.body = [] }
        return (response, commit)
    }

    private mutating func answerWhole(_ request: SandboxRequest, isHead: Bool, at now: Date) -> (SandboxResponse, Commit?) {
        let format = AnswerFormat(request)
        do throws(RailsException) {
            guard let route = BreatheSafeRoute(isHead ? request.with(method: "GET") : request) else { throw .notFound }
            var visit = visit(request, route: route, parameters: try BreatheSafeParameters.read(request), at: now)
            if route.needsCSRFToken && !visit.passesCSRFCheck { throw .unprocessable }
            if visit.isIdleTooLong { return (finish(sessionExpired(&visit), of: visit), nil) }
            let reply = try answer(route, &visit)
            if visit.format == .html && !route.hasPage {
                // Rails rejects the format only after the controller has run, so the commit stands.
                return (SandboxResponse(status: 406, headers: [.contentType: "text/html; charset=UTF-8"]), reply.commit)
            }
            return (conditional(finish(reply, of: visit), to: request), reply.commit)
        } catch {
            return (ExceptionsPage.response(error.status, as: format), nil)
        }
    }

    private mutating func answer(_ route: BreatheSafeRoute, _ visit: inout BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        switch route {
        case .root: BreatheSafeReply(response: .html(200, title: "Breathesafe"))
        case .logIn: try logIn(&visit)
        case .logOut: logOut(&visit)
        case .currentUser: currentUser(visit)
        case .csrfToken: csrfToken(&visit)
        case .signInPage: throw visit.request.method == "GET" ? .internalError : .unprocessable
        case .managedUsers: listManagedUsers(visit)
        case .managedUser(let user): managedUser(user, visit)
        case .newestMeasurements: listNewestMeasurements(visit)
        case .addManagedUser: addManagedUser(visit)
        case .deleteManagedUser(let row): deleteManagedUser(row, visit)
        case .measurements(let user): try listMeasurements(of: user, visit)
        case .addMeasurement(let user): try addMeasurement(to: user, visit)
        case .addArkitMeasurement(let user): try addArkitMeasurement(to: user, visit)
        case .aggregateArkit(let user): try aggregateArkit(of: user, visit)
        case .profile(let user): try showProfile(of: user, visit)
        case .changeProfile(let user): try changeProfile(of: user, visit)
        case .fitTests: listFitTests(visit)
        case .addFitTest: try addFitTest(visit)
        case .changeFitTest(let id): try changeFitTest(id, visit)
        case .deleteFitTest(let id): try deleteFitTest(id, visit)
        case .cloneFitTest(let id): try cloneFitTest(id, visit)
        case .masks: listMasks(visit)
        case .addMask: try addMask(visit)
        }
    }

    /// The first response after the idle timeout; it signs the user out.
    private func sessionExpired(_ visit: inout BreatheSafeVisit) -> BreatheSafeReply {
        visit.user = nil
        visit.losesCSRFSecret = true
        guard visit.format == .json else { return .redirect(to: "/users/sign_in", of: visit.request.host) }
        return .json(401, ["error": "Your session expired. Please sign in again to continue."])
    }

    /// Adds an ETag to successful responses; replies 304 to a GET or HEAD with the same ETag.
    private func conditional(_ response: SandboxResponse, to request: SandboxRequest) -> SandboxResponse {
        guard response.status == 200 || response.status == 201 else {
            var response = response
            response.headers[.cacheControl] = "no-cache"
            return response
        }
        let digest = SHA256.hash(data: response.body).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var response = response
        response.headers[.eTag] = "W/\"\(digest)\""
        response.headers[.cacheControl] = "max-age=0, private, must-revalidate"
        guard ["GET", "HEAD"].contains(request.method), request.headers[.ifNoneMatch] == response.headers[.eTag] else { return response }
        response.headers[.contentType] = nil
        return SandboxResponse(status: 304, headers: response.headers)
    }
}
