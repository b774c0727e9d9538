import Hummingbird
import Logging

/// Routes each request to its call.
struct ControlRouter {
    let calls: [Call]
    let limits: ControlLimits
    let doorkeeper: Doorkeeper

    init(service: ControlService, policy: AccessPolicy, limits: ControlLimits, log: Logger) {
        calls = service.calls
        self.limits = limits
        doorkeeper = Doorkeeper(policy: policy, limits: limits, audit: Audit(log: log), denied: service.denied)
    }

    func responder() -> some HTTPResponder<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.addMiddleware {
            ProblemMiddleware()
            LocalOnlyMiddleware()
            HeaderLimitMiddleware(limit: limits.header)
        }
        for call in calls {
            router.on(RouterPath(call.path), method: call.method) { request, context -> Response in
                try await call.respond(request, context, doorkeeper)
            }
        }
        return router.buildResponder()
    }
}
