import Foundation

/// Mints version 7 UUIDs of which each is greater than the one before, within a millisecond and when the clock is set back too
/// (RFC 9562 6.2, method 1: the 12 bits after the milliseconds count).
package struct MutationIDMint: Sendable {
    private var milliseconds: UInt64 = 0
    private var counter: UInt64 = 0

    package init() {}

    package mutating func next(at now: Date, using generator: inout some RandomNumberGenerator) -> MutationID {
        let current = MutationID.milliseconds(of: now)
        if current > milliseconds {
            milliseconds = current
            // Its upper half is left for counting.
            counter = UInt64.random(in: 0...0x7ff, using: &generator)
        } else if counter < 0xfff {
            counter += 1
        } else {
            // The RFC's way out of a full counter: a little ahead of the clock.
            milliseconds += 1
            counter = 0
        }
        return MutationID(milliseconds: milliseconds, counter: counter, using: &generator)
    }
}
