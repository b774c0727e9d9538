import Foundation
import Logging
import Outbox
import ServiceLifecycle
import SyncModel

/// Removes what was delivered long ago and reads the store through for damage, once at start and then once a day.
struct Housekeeping: Service {
    let outbox: Outbox
    let keepDelivered: TimeInterval
    let clock: any SyncClock
    let log: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {  // `try?`: cancelled while asleep, that is how this ends
            while true {
                do {
                    try await outbox.prune(before: clock.now.addingTimeInterval(-keepDelivered))
                } catch {
                    log.warning("What was delivered long ago could not be removed", metadata: ["error": "\(error)"])
                }
                // `try?`: what is damaged ends the run by itself; what cannot be read for another reason is looked at again tomorrow.
                try? await outbox.verify()
                let now = clock.now
                try await clock.sleep(from: now, until: now.addingTimeInterval(86_400))
            }
        }
    }
}
