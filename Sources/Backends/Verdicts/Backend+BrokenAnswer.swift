import Foundation
import SyncModel

extension Backend {
    /// The verdict on a success whose head arrived and whose body did not arrive whole; nil if the head alone decides nothing. See
    /// Decisions/WhetherItWasSent.md.
    package func verdict(onHeadOf status: Int, to mutation: Mutation, at now: Date) -> Verdict? {
        // A look-up or a harmless resend proves more. A refusal may be in the body. Without TLS, the head may be a proxy's.
        guard let route = profile.routes[mutation.route], traits(route: mutation.route).isBlind, profile.errors.ok == nil,
            (isElsewhere(route: mutation.route) ? Origin(route.request.url.literalURL) : profile.origin)?.scheme == "https"
        else {
            return nil
        }
        guard route.needsBody else { return .accepted(Receipt(remoteID: nil, status: status, at: now)) }
        let missing = route.rows.creates == nil ? "which shows whether it did this" : "which has the id of the new row"
        let message = "\(name) answered \(status), but the rest of its answer, \(missing), did not arrive."
        return .unknown(Failure(.refused, status: status, message, outcomeUnknown: true))
    }
}

extension Route {
    /// The status of a success is not enough: the profile checks the body, or later entries need the id of the created row.
    fileprivate var needsBody: Bool { rows.creates != nil || !promises.isEmpty || !repeats.isEmpty }
}
