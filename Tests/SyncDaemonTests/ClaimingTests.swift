import Capture
import ControlAPI
import ControlServer
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ClaimingTests {
    private static let capturer = Peer(pid: 7, uid: 61_500, groups: [])
    private static let administrator = Peer(pid: 7, uid: 0, groups: [])

    @Test(arguments: [
        (UnclaimedFiles.ask, capturer, Problem.Code.signInRequired), (.hold, capturer, .notPermitted),
        (.hold, administrator, .signInRequired),
    ])
    func onlyAdministratorClaimsFilesOnHold(policy: UnclaimedFiles, peer: Peer, expected: Problem.Code) async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            configuration.spool.unclaimed = policy
            configuration.access = AccessGroups()
            let daemon = try await Daemon(configuration: configuration, environment: [:], log: .silent)
            // A permitted caller gets as far as the missing sign-in.
            let caller = Caller(peer, try #require(daemon.policy.access(of: peer)))
            let problem = await #expect(throws: Problem.self) { try await daemon.handler.claim(NoInput(), by: caller) }
            #expect(problem?.code == expected)
        }
    }

    @Test func refusedFilesAreListedInPages() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            let folder = station.directory("state/spool/refused")
            // Also the last one, which has no file beside it that says why.
            for name in ["b.json", "b.json.reason", "a.json", "a.json.reason", "c.json", "c.json.reason", "d.json"] {
                try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            /// The names of the files, and `next`.
            func page(_ query: RefusedFileQuery) async throws -> [String?] {
                let list = try await daemon.handler.refusedFiles(query, by: Caller(Self.capturer, .operate))
                return list.files.map { Optional($0.name) } + [list.next]
            }
            #expect(try await page(RefusedFileQuery()) == ["a.json", "b.json", "c.json", "d.json", nil])
            #expect(try await page(RefusedFileQuery(limit: 2)) == ["a.json", "b.json", "b.json"])
            #expect(try await page(RefusedFileQuery(after: "b.json", limit: 2)) == ["c.json", "d.json", nil])
            #expect(try await page(RefusedFileQuery(after: "d.json")) == [nil])
        }
    }

    @Test func onlyAdministratorOrOwnerDiscardsARefusedFile() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            let folder = station.directory("state/spool/refused")
            for name in ["a.json", "a.json.reason", "b.json", "b.json.reason"] {
                try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            func discard(_ name: String, by peer: Peer, _ access: Access, version: String? = nil) async throws -> DiscardedFile {
                let request = FileDiscardRequest(name: name, reason: "a test", version: version)
                return try await daemon.handler.discardFile(request, by: Caller(peer, access))
            }
            let other = await #expect(throws: Problem.self) { try await discard("a.json", by: Self.capturer, .operate) }
            #expect(other?.code == .notPermitted && other?.next?.contains("homing discard --file a.json --reason TEXT") == true)
            let missing = await #expect(throws: Problem.self) { try await discard("c.json", by: Self.administrator, .administer) }
            #expect(missing?.code == .notFound)
            let owner = Peer(pid: 7, uid: geteuid(), groups: [])
            let changed = await #expect(throws: Problem.self) { try await discard("a.json", by: owner, .operate, version: "1-2") }
            #expect(changed?.code == .wrongState && changed?.detail.contains("‘a.json’ was replaced or changed") == true)
            let list = try await daemon.handler.refusedFiles(RefusedFileQuery(), by: Caller(owner, .operate)).files
            #expect(try await discard("a.json", by: owner, .operate, version: list.first?.version) == DiscardedFile(name: "a.json"))
            #expect(try await discard("b.json", by: Self.administrator, .administer) == DiscardedFile(name: "b.json"))
        }
    }
}
