import ControlAPI
import ControlServer
import Foundation
import Outbox
import SyncModel

extension ControlHandler {
    /// Returns once the copy is made.
    func backup(_ request: NoInput, by caller: Caller) async throws -> Download {
        let copy = try await outbox.backUp(
            of: station, version: HomingVersion.current, by: caller.peer.description, at: clock.now,
            // The service may write only to its state directory and its runtime directory.
            spare: examination.environment["RUNTIME_DIRECTORY"] ?? FileManager.default.temporaryDirectory.path)
        return Download(size: copy.size) { try copy.next() }
    }
}

extension BackupError: ProblemConvertible {
    package var problem: Problem {
        Problem(.storageFailed, status: 507, title: "No backup was made", detail: sentence, next: next)
    }
}
