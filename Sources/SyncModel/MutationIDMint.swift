import Foundation

/// Mints increasing version 7 UUIDs, even after the clock was set back (RFC 9562 6.2, method 1, with a 12-bit counter).
package struct MutationIDMint: Sendable {
    private var milliseconds: UInt64 = 0
    private var counter: UInt64 = 0

    package init() {}

    /// Makes later ids greater than `id` of an earlier run, whose clock may have been ahead. Ignores ids after the year 4000.
    package mutating func goOn(behind id: MutationID) {
        let digits = id.description.filter { $0 != "-" }
        guard let last = UInt64(digits.prefix(12), radix: 16), last > milliseconds, last < 1 << 46 else { return }
        (milliseconds, counter) = (last, 0xfff)
    }

    package mutating func next(at now: Date, using generator: inout some RandomNumberGenerator) -> MutationID {
        let current = MutationID.milliseconds(of: now)
        if current > milliseconds {
            milliseconds = current
            // The upper half is for counting.
            counter = UInt64.random(in: 0...0x7ff, using: &generator)
        } else if counter < 0xfff {
            counter += 1
        } else {
            // The counter is full: run ahead of the clock, as the RFC allows.
            milliseconds += 1
            counter = 0
        }
        return MutationID(milliseconds: milliseconds, counter: counter, using: &generator)
    }
}
