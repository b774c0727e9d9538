import Foundation

/// Mints version 7 UUIDs of which each is greater than the one before, within a millisecond and when the clock is set back too
/// (RFC 9562 6.2, method 1: the 12 bits after the milliseconds count).
package struct MutationIDMint: Sendable {
    private var milliseconds: UInt64 = 0
    private var counter: UInt64 = 0

    package init() {}

    /// Has all that are minted from now on be greater than `id` too: one of an earlier run, when the clock may have been ahead. One of a
    /// time that no clock is at, after the year 4000, is left behind.
    package mutating func goOn(behind id: MutationID) {
        let digits = id.description.filter { $0 != "-" }
        guard let last = UInt64(digits.prefix(12), radix: 16), last > milliseconds, last < 1 << 46 else { return }
        (milliseconds, counter) = (last, 0xfff)
    }

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
