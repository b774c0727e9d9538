import ControlAPI
import ControlServer
import Foundation
import Logging
import SyncModel

extension ControlHandler {
    func key(_ request: NoInput, by caller: Caller) async throws -> KeyReport { keys.report }

    func rotateKey(_ request: KeyRotation, by caller: Caller) async throws -> KeyReport {
        try caller.requireOwner()
        let content = request.newKey.map { Data($0.utf8) }
        try await keys.rotate(to: content, in: outbox, by: caller.peer.description, at: clock.now)
        let report = keys.report
        log.notice("The key was changed", metadata: ["by": "\(caller.peer)", "pending": "\(report.isPending)"])
        return report
    }
}
