import Files
import Foundation
import Outbox

extension DeviceID {
    /// Notes the id of a backup before it becomes the store, so that a restore that is killed later has a start take the id.
    static func note(_ id: String, stateDirectory: String) throws(FileError) {
        try noted(in: stateDirectory).replace(with: Data("\(id)\n".utf8))
    }

    /// Takes the noted id if the backup has become the store. An empty store must never run under the id of another station, so the id of
    /// a restore that ended before does not count.
    static func takeRestored(stateDirectory: String) throws(FileError) {
        let noted = noted(in: stateDirectory)
        let path = Daemon.store(in: stateDirectory)
        // A draft is removed together with the noted id.
        guard noted.exists, !DurableFile(path: StoreBackup.restoredDraft(of: path)).exists else { return }
        if DurableFile(path: path).exists, let content = try noted.readOrNothing(), let id = parse(content) {
            try store(id, stateDirectory: stateDirectory)
        }
        try noted.remove()
    }

    private static func noted(in state: String) -> DurableFile { DurableFile(path: StoreBackup.restoredID(of: Daemon.store(in: state))) }
}
