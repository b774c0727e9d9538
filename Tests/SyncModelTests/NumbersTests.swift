import Foundation
import SyncModel
import Testing

@Suite struct NumbersTests {
    @Test(arguments: [
        (0.0, Int64(0)), (-0.0, 0), (-1.9, -1), (1.9, 1), (1e308, .max), (-1e308, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
        (.signalingNaN, 0), (9_223_372_036_854_775_808, .max), (9_223_372_036_854_774_784, 9_223_372_036_854_774_784),
        (-9_223_372_036_854_775_808, .min), (1.8446744073709552e19, .max), (.leastNonzeroMagnitude, 0),
    ])
    func clampsAnyNumberToAnInteger(number: Double, whole: Int64) {
        #expect(Int64(clamping: number) == whole)
        #expect(Int32(clamping: number) == Int32(clamping: whole))
        #expect(UInt8(clamping: number) == UInt8(clamping: whole))
    }

    @Test func clampsUnsignedNumbers() {
        #expect(UInt64(clamping: -5.0) == 0)
        #expect(UInt64(clamping: 1.8446744073709552e19) == .max)
        #expect(UInt64(clamping: 1e19) == 10_000_000_000_000_000_000)
    }

    @Test func clampsSumsAndProducts() {
        #expect(Int64.max.addingClamped(1) == .max)
        #expect(Int64.min.addingClamped(-1) == .min)
        #expect(Int64(2).addingClamped(-3) == -1)
        #expect(Int64.max.multipliedClamped(by: 2) == .max)
        #expect(Int64.max.multipliedClamped(by: -2) == .min)
        #expect(Int64(-3).multipliedClamped(by: 4) == -12)
    }

    @Test(arguments: [-1, 0, 0.5, 60, 1e9, 1e12, 1e308, Double.infinity, -.infinity, .nan]) func clampsAnySleepDuration(seconds: Double) {
        let duration = Duration(clampingSeconds: seconds)
        #expect(duration >= .zero && duration <= .seconds(100 * 366 * 86_400))
        if (0...1e9).contains(seconds) { #expect(duration == .seconds(seconds)) }
        // The clock's arithmetic must not overflow either.
        #expect(ContinuousClock.now + duration >= ContinuousClock.now - .seconds(60))
    }

    @Test func roundTripsTimesInMilliseconds() {
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: -1.5), Date(timeIntervalSince1970: 10_413_792_000)] {
            #expect(Date(ms: date.ms) == date)
        }
        for ms in [Int64.min, .max, 0, -1] { #expect(abs(Double(Date(ms: ms).ms) - Double(ms)) <= 2048) }
        for seconds in [Double.infinity, -.infinity, .nan, 1e300] { _ = Date(timeIntervalSince1970: seconds).ms }
    }

    @Test func mintsIDsAtAnyTime() {
        var generator = SystemRandomNumberGenerator()
        var mint = MutationIDMint()
        for seconds in [-1e300, -1, 0, 1e300, Double.infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(MutationID(MutationID(at: date, using: &generator).description) != nil)
            _ = mint.next(at: date, using: &generator)
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_765_000_000)

    @Test(arguments: [
        (946_684_800.0, true), (946_684_799, false), (1_765_000_000, true), (1_765_086_400, true), (1_765_086_401, false),
        (1_765_000_000_000, false), (0, false), (-1, false), (.infinity, false), (-.infinity, false), (.nan, false), (1e308, false),
    ])
    func acceptsOnlyPlausibleCaptureTimes(seconds: Double, isOne: Bool) {
        #expect((Date(timeIntervalSince1970: seconds).asCaptureTime(at: Self.now) != nil) == isOne)
    }
}
