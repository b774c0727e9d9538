import Backends
import ControlAPI
import Foundation
import Testing

@testable import SyncDaemon

/// How people read the routes of the shipped profiles.
@Suite struct EntryTitleTests {
    private static func backends() throws -> [Backend] {
        let folder = URL(fileURLWithPath: ConfigurationTests.shipped).deletingLastPathComponent().path + "/backends"
        return try ProfileLibrary.load(directory: folder, deviceID: "d", version: "1")
    }

    @Test func everyShippedRouteHasPlainWords() throws {
        for backend in try Self.backends() {
            for route in backend.routes {
                let kind = backend.kind(route: route)
                #expect(!kind.one.contains("_") && !kind.many.contains("_") && !kind.one.hasSuffix(" entry"), "\(backend.name) \(route)")
            }
        }
    }

    @Test(arguments: [
        ("breathesafe", "create_managed_user", "new person", "new people"), ("breathesafe", "profile", "change", "changes"),
        ("breathesafe", "delete_managed_user", "deletion", "deletions"), ("breathesafe", "fit_test", "fit test", "fit tests"),
        ("breathesafe", "edit_fit_test", "change of a fit test", "changes of fit tests"),
        ("lists", "complete_task", "completion", "completions"), ("lists", "create_task", "new task", "new tasks"),
    ])
    func titleComesFromTheProfile(name: String, route: String, one: String, many: String) throws {
        let backend = try #require(try Self.backends().first { $0.name == name })
        #expect(backend.kind(route: route) == RosterTitle(one: one, many: many))
    }
}
