import Foundation
import GRDB
import StationSupport
import TestSupport

/// The lists in the store of a station, as they are sealed. The key stays there after a sign-out, so the sealed bytes must go.
struct SealedLists {
    private let state: String
    private let parts: [Data]

    init(_ station: TestStation) throws {
        state = station.directory("state")
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: "\(state)/outbox.sqlite", configuration: configuration)
        let pages = try queue.read { try Data.fetchAll($0, sql: "SELECT sealed FROM rosterPage") }
        try queue.close()
        parts = pages.flatMap { page in stride(from: 0, to: page.count - 32, by: 64).map { Data(page[$0..<$0 + 32]) } }
    }

    /// Whether a part of them is in a file.
    var isLeft: Bool {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: state).contains { name in
                // `try?`: a folder or a socket.
                guard let content = try? Data(contentsOf: URL(fileURLWithPath: "\(state)/\(name)")) else { return false }
                return parts.contains { content.holds($0) }
            }
        }
    }
}
