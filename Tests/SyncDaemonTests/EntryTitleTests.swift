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

    /// Two routes with the same words would look the same in lists and notices.
    @Test func everyShippedRouteHasItsOwnWords() throws {
        for backend in try Self.backends() {
            #expect(Set(backend.routes.map { backend.kind(route: $0).one }).count == backend.routes.count, "\(backend.name)")
            #expect(Set(backend.routes.map { backend.kind(route: $0).many }).count == backend.routes.count, "\(backend.name)")
        }
    }

    @Test func routeThatTheProfileNoLongerHasIsAnEntry() throws {
        let backend = try #require(try Self.backends().first { $0.name == "lists" })
        let kind = backend.kind(route: "move_task")
        #expect(kind == RosterTitle(one: "move task entry", many: "move task entries", kind: .entry, word: "move task"))
    }

    /// The words come from the names of these routes. A route whose name is no noun needs a title.
    @Test func routesNamedByTheirOwnNamesAreNouns() throws {
        let named = try Self.backends().flatMap { backend in
            backend.routes.filter { backend.kind(route: $0).one == $0.replacing("_", with: " ") }
        }
        #expect(Set(named) == ["appointment", "fit_test", "manual_measurement", "measurement", "message", "purchase"])
    }

    @Test(arguments: [
        ("breathesafe", "create_managed_user", "new person", "new people"), ("breathesafe", "profile", "person change", "person changes"),
        ("breathesafe", "delete_managed_user", "person deletion", "person deletions"),
        ("breathesafe", "delete_fit_test", "fit test deletion", "fit test deletions"),
        ("breathesafe", "edit_fit_test", "fit test change", "fit test changes"),
        ("breathesafe", "fit_test", "fit test", "fit tests"), ("lists", "rename_list", "list change", "list changes"),
        ("lists", "complete_task", "completion", "completions"), ("lists", "create_task", "new task", "new tasks"),
    ])
    func titleComesFromTheProfile(name: String, route: String, one: String, many: String) throws {
        let backend = try #require(try Self.backends().first { $0.name == name })
        let kind = backend.kind(route: route)
        #expect(kind.one == one && kind.many == many)
    }

    /// A page in another language writes these itself.
    @Test(
        arguments: [
            ("breathesafe", "create_managed_user", .new, "person"), ("breathesafe", "profile", .change, "person"),
            ("breathesafe", "delete_managed_user", .deletion, "person"), ("breathesafe", "delete_fit_test", .deletion, "fit test"),
            ("lists", "create_task", .new, "task"), ("lists", "move_task", .entry, "move task"),
        ] as [(String, String, RosterTitle.Kind, String)])
    func wordsOfHomingHaveTheirKind(name: String, route: String, kind: RosterTitle.Kind, word: String) throws {
        let title = try #require(try Self.backends().first { $0.name == name }).kind(route: route)
        #expect(title.knownKind == kind && title.word == word)
    }

    @Test(arguments: [("breathesafe", "edit_fit_test"), ("breathesafe", "measurement"), ("lists", "complete_task")])
    func wordsOfAProfileHaveNoKind(name: String, route: String) throws {
        let title = try #require(try Self.backends().first { $0.name == name }).kind(route: route)
        #expect(title.kind == nil && title.word == nil)
    }

    @Test(arguments: [
        ("delete_fit_test", "deletion"), ("profile", "change"), ("create_managed_user", "new person"), ("edit_fit_test", "fit test change"),
        ("measurement", "measurement"),
    ])
    func wordsBesideTheNameOfTheRowDoNotRepeatItsKind(route: String, noun: String) throws {
        let backend = try #require(try Self.backends().first { $0.name == "breathesafe" })
        #expect(backend.noun(route: route) == noun)
    }
}
