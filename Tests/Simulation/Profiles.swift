import Backends
import Foundation
import Synchronization
import TestSupport

/// Cached profiles of the simulated backends.
enum Profiles {
    private static let known = Mutex<[String: Backend]>([:])

    static func backend(_ backend: Plan.Backend) throws -> Backend {
        let text = Wire.profile(backend)
        if let backend = known.withLock({ $0[text] }) { return backend }
        let folder = try TemporaryDirectory(in: TemporaryDirectory.memory)
        try text.write(toFile: folder("\(backend.name).yaml"), atomically: false, encoding: .utf8)
        let loaded = try ProfileLibrary.load(file: folder("\(backend.name).yaml"), deviceID: "device", version: "1")
        known.withLock { $0[text] = loaded }
        return loaded
    }
}
