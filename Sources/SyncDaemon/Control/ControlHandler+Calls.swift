import ControlAPI
import ControlServer

extension ControlHandler {
    /// The calls of the control channel.
    var service: ControlService { ControlService(calls: calls, denied: denied) }

    private var calls: [Call] {
        [
            Call(Endpoints.status, status(_:by:)),
            Call(Endpoints.sessions, sessions),
            Call(Endpoints.signIn, signIn),
            Call(Endpoints.signOut, signOut),
            Call(Endpoints.submit, submit),
            Call(Endpoints.entries, entries),
            Call(Endpoints.entry, entry),
            Call(Endpoints.why, why),
            Call(Endpoints.retry, retry),
            Call(Endpoints.fix, fix),
            Call(Endpoints.resolve, resolve),
            Call(Endpoints.discard, discard),
            Call(Endpoints.restore, restore),
            Call(Endpoints.export, export),
            Call(Endpoints.key, key(_:by:)),
            Call(Endpoints.rotateKey, rotateKey),
            Call(Endpoints.copyKey, copyKey),
            Call(Endpoints.sync, sync),
            Call(Endpoints.claim, claim),
            Call(Endpoints.refusedFiles, refusedFiles),
            Call(Endpoints.discardFile, discardFile),
            Call(Endpoints.pause, pause),
            Call(Endpoints.resume, resume),
            Call(Endpoints.receipts, receipts),
            Call(Endpoints.receipt, receipt(_:by:)),
            Call(Endpoints.doctor, endsWithClient: true, doctor),
            Call(Endpoints.stats, stats),
            Call(Endpoints.audit, audit),
            Call(Endpoints.lanes, lanes),
            Call(Endpoints.backends, backends),
            Call(Endpoints.rosters, rosters(_:by:)),
            Call(Endpoints.roster, roster),
            Call(Endpoints.refreshRoster, refreshRoster),
            .backup(backup),
            .events(events),
            .openapi,
        ]
    }
}
