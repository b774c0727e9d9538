import Foundation
import Glibc
import StationSupport
import TestSupport

extension TestStation {
    /// As root, gives the station's folder to user and group `id` and starts the daemon as them. Otherwise starts it as the current user.
    @discardableResult
    func startUnprivileged(as id: UInt32, logTo log: String? = nil) async throws -> Process {
        guard geteuid() == 0 else { return try await start(logTo: log) }
        let below = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
        for path in [directory.path] + below.map(directory.callAsFunction) { lchown(path, id, id) }
        return try await start(through: ["setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups", "--"], logTo: log)
    }
}
