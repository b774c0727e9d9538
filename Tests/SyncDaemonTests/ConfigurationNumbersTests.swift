import Backends
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ConfigurationNumbersTests {
    private static let keys = [
        "delivery.in_flight", "delivery.attempts", "delivery.first_delay", "delivery.delay_factor", "delivery.longest_delay",
        "delivery.lookup_after", "delivery.first_pause", "delivery.longest_pause", "timeouts.connect", "timeouts.request",
        "timeouts.exchange", "outbox.max_bytes", "outbox.keep_delivered",
    ]

    @Test(arguments: [
        "0", "-0", "-1", "0.5", "1e-400", "5e-324", "1e308", "1e999", "-1e999", "NaN", ".nan", ".inf", "-.inf", "Infinity",
        "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "0x7fffffffffffffff",
        "315360000", "315360000.001", "1125899906842624", "1125899906842625", "1_000", "+1", "1:30", "2300-01-01",
    ])
    func acceptsFiniteNumberOrReportsMistake(number: String) throws {
        let directory = try TemporaryDirectory()
        for key in Self.keys {
            let parts = key.split(separator: ".")
            try directory.write("\(parts[0]): {\(parts[1]): \(number)}\n", to: "homing.yaml")
            do {
                let configuration = try Configuration.load(file: directory("homing.yaml"), environment: [:])
                let value = try #require(configuration.settings.first { $0.key == key }?.value)
                #expect(Double(value)?.isFinite == true && Double(value) ?? -1 >= 0, "\(key): \(number) is \(value)")
            } catch let mistakes as Mistakes {
                #expect(!mistakes.all.isEmpty)
            }
        }
    }
}
