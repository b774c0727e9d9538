import ControlAPI
import ControlServer
import Foundation
import Logging
import Outbox
import SyncModel

extension ControlHandler {
    func key(_ request: NoInput, by caller: Caller) async throws -> KeyReport { keys.report }

    /// Returns once the new keys are durable; the data is sealed again afterwards.
    func rotateKey(_ request: KeyRotation, by caller: Caller) async throws -> KeyReport {
        try caller.requireOwner()
        let content = request.newKey.map { Data($0.utf8) }
        try await keys.rotate(to: content, in: outbox, by: caller.peer.description, at: clock.now)
        let report = keys.report
        log.notice("The key was changed", metadata: ["by": "\(caller.peer)", "pending": "\(report.isPending)"])
        return report
    }

    /// Only while the key file is missing.
    func copyKey(_ request: NoInput, by caller: Caller) async throws -> KeyCopy {
        try caller.requireOwner()
        let content = try keys.lostKey()
        log.warning("The key was exported from the memory of the daemon", metadata: ["by": "\(caller.peer)"])
        // A store that is gone takes no event, and only this daemon has its key.
        if outbox.place.lost == nil {
            try await outbox.record([SyncEvent(at: clock.now, .keyExported, detail: ["by": caller.peer.description])])
        }
        return KeyCopy(key: String(decoding: content, as: UTF8.self))
    }
}
