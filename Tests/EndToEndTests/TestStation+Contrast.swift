import ControlAPI
import StationSupport
import SyncModel
import TestSupport

extension TestStation {
    /// Delivers entries of `user` until entry `failing` is settled or held. Without other deliveries, the daemon blames the backend. See
    /// BlameByContrast.
    func letOthersThrough(user: Int, from first: Int, whileFailing failing: Int) async throws {
        var number = first
        while ["pending", "inflight"].contains(try await entry(failing).state) {
            let id = Samples.id(number).description
            try await submit(user: user, id: number)
            try await event("delivered") { $0.entry == id }
            number += 1
            await pauseBriefly()
        }
    }
}
