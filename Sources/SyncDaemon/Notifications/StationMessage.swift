import Foundation
import Glibc
import Notifying

/// A message as it is stored, and as a webhook gets it: the same for every try.
struct StationMessage: Codable, Equatable, Sendable {
    let at: Date
    /// The host name, because one receiver may serve many stations.
    let station: String
    let title: String
    let text: String

    init(_ message: NotifyMessage, station: String, at now: Date) {
        (at, self.station, title, text) = (now, station, message.title, message.body)
    }

    /// Nil for other bytes than `encoded`.
    init?(encoded: Data) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // `try?`: nil says so.
        guard let message = try? decoder.decode(Self.self, from: encoded) else { return nil }
        self = message
    }

    var encoded: Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(self) } catch { preconditionFailure("a message always encodes: \(error)") }
    }

    /// The name of this machine, without asking the network for it.
    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
