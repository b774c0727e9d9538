import ControlAPI
import StationSupport
import SyncModel
import TestSupport

extension TestStation {
    /// Lets captures of `user` through, numbered from `first` on, until entry `failing` is settled or a person's to decide: without them nothing
    /// tells a bad entry from a bad backend.
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
