import Testing

@testable import Outbox

@Suite struct LowSpaceTests {
    /// The last two: the reserve and its margin are more than a twentieth of a small disk.
    @Test(
        arguments: [
            (252 << 30, 1 << 30), (10 << 30, 512 << 20), (256 << 20, 23 << 20), (32 << 20, 6 << 20),
        ] as [(Int64, Int64)])
    func markFitsTheDisk(total: Int64, mark: Int64) { #expect(Ballast.lowMark(onDiskOf: total) == mark) }

    @Test func warnsBelowTheMarkUntilAQuarterAboveIt() {
        let pressure = DiskPressure()
        let answers = [1000, 999, 1001, 1249, 1250, 1100, 999].map { pressure.isLow(free: $0, mark: 1000) }
        #expect(answers == [false, true, true, true, false, false, true])
    }

    @Test func warningComesBeforeTheRefusal() {
        // A one-byte submission is refused below this, on a disk of any size.
        let refused = Outbox.freeBytes(for: 1)
        for total in [64 << 20, 1 << 30, 1 << 40] as [Int64] { #expect(Ballast.lowMark(onDiskOf: total) > refused) }
    }
}
