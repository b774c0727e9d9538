import ControlAPI
import ControlServer
import Foundation
import Glibc
import NIOHTTP1
import TestSupport
import Testing

@Suite struct AccessPolicyTests {
    private static let groups = AccessGroups(
        observe: .init(name: "homing-observe", id: 501), operate: .init(name: "homing-operate", id: 502),
        administer: .init(name: "homing-administer", id: 503))

    @Test(
        arguments: [
            ([501], .observe), ([502], .operate), ([503], .administer), ([501, 502], .operate), ([7, 503, 501], .administer), ([], nil),
            ([7, 8], nil),
        ] as [(Set<gid_t>, Access?)])
    func membershipGivesHighestRole(groups: Set<gid_t>, access: Access?) {
        for isOpenToAll in [false, true] {
            let policy = AccessPolicy(administrators: [0, 1000], groups: Self.groups, isOpenToAll: isOpenToAll)
            #expect(policy.access(of: Peer(pid: 1, uid: 1001, groups: groups)) == access)
            #expect(policy.access(of: Peer(pid: 1, uid: 1000, groups: groups)) == .administer)
            #expect(policy.access(of: Peer(pid: 1, uid: 0, groups: groups)) == .administer)
        }
    }

    @Test func callerKnowsTheGroupThatGivesTheRole() {
        let policy = AccessPolicy(administrators: [0], groups: Self.groups)
        func group(_ uid: uid_t, _ access: Access) -> String? { Caller(Peer(pid: 1, uid: uid, groups: []), access, under: policy).group }
        #expect(group(1001, .operate) == "homing-operate" && group(1001, .administer) == "homing-administer")
        #expect(group(0, .administer) == nil)
    }

    @Test func onlyRootAndTheDaemonsUserAreOwners() throws {
        let policy = AccessPolicy(administrators: [0, 1000], groups: Self.groups)
        for uid: uid_t in [0, 1000] { try Caller(Peer(pid: 1, uid: uid, groups: []), .administer, under: policy).requireOwner() }
        let member = Caller(Peer(pid: 1, uid: 1001, groups: [503]), .administer, under: policy)
        let problem = #expect(throws: Problem.self) { try member.requireOwner() }
        #expect(problem?.status == 403 && problem?.detail.hasPrefix("Only root and the daemon’s own user may do this") == true)
    }

    @Test func withoutConfiguredGroupsCallersOperateUnlessSocketIsOpen() {
        let peer = Peer(pid: 1, uid: 1001, groups: [1001])
        #expect(AccessPolicy(administrators: [0]).access(of: peer) == .operate)
        #expect(AccessPolicy(administrators: [0], isOpenToAll: true).access(of: peer) == nil)
        let one = AccessGroups(observe: .init(name: "watchers", id: 9))
        #expect(AccessPolicy(administrators: [0], groups: one).access(of: peer) == nil)
        #expect(AccessPolicy(administrators: [0]).access(of: Peer(pid: 1, uid: 0, groups: [])) == .administer)
    }

    @Test func refusalNamesGroupAndHowToJoin() {
        let policy = AccessPolicy(administrators: [0], groups: Self.groups)
        let refusal = policy.refusal(of: Peer(pid: 1, uid: 1, groups: []), for: .operate)
        #expect(refusal.status == 403)
        #expect(refusal.detail == "This requires membership in the group homing-operate. You are daemon (uid 1), and not a member.")
        #expect(
            refusal.next
                == "Ask an administrator to run: sudo adduser daemon homing-operate\nThen log out of this computer and in again.")
    }

    @Test func refusalShowsNumberOfUnnamedUser() {
        let policy = AccessPolicy(administrators: [0], groups: Self.groups)
        let refusal = policy.refusal(of: Peer(pid: 1, uid: 3_999_999_999, groups: []), for: .observe)
        #expect(
            refusal.detail == "This requires membership in the group homing-observe. You are uid 3999999999, and not a member.")
        #expect(refusal.next?.contains("run: sudo adduser NAME homing-observe\n") == true)
    }

    @Test func refusalNamesNextHigherGroupOrSudo() {
        let peer = Peer(pid: 1, uid: 1, groups: [])
        let higher = AccessPolicy(administrators: [0], groups: AccessGroups(administer: .init(name: "bosses", id: 9)))
        #expect(higher.refusal(of: peer, for: .observe).detail.contains("the group bosses."))
        let none = AccessPolicy(administrators: [0], groups: AccessGroups(observe: .init(name: "watchers", id: 9)))
        #expect(none.refusal(of: peer, for: .administer).next?.contains("sudo") == true)
    }

    /// The refusal comes before the body is read.
    @Test func callersWithoutRoleAreRefusedAndReported() async throws {
        let service = FakeService()
        try await Served.with(service, policy: AccessPolicy(administrators: [], groups: Self.unjoined)) { served in
            for _ in 0..<4 {
                for (method, path) in [("GET", "/v1/status"), ("GET", "/v1/openapi.yaml"), ("POST", "/v1/sync"), ("GET", "/v1/events")] {
                    let (problem, _) = try await served.problem(.RAW(value: method), path)
                    #expect(problem.code == .notPermitted)
                    #expect(problem.next?.contains("adduser") == true)
                }
            }
        }
        #expect(service.calls.isEmpty)
        #expect(service.denials.count == 10)
        #expect(service.denials.first == "GET /v1/status")
    }

    private static var unjoined: AccessGroups {
        let free = (60_000..<60_100).map { gid_t($0) }.filter { !Peer.ofThisProcess.groups.contains($0) }
        return AccessGroups(
            observe: .init(name: "o", id: free[0]), operate: .init(name: "p", id: free[1]), administer: .init(name: "a", id: free[2]))
    }

    /// Only root can start a process of another user.
    @Test(
        .enabled(if: geteuid() == 0), arguments: [("61001", 200, 403), ("61002", 200, 200), ("61003,61002", 200, 200), ("61009", 403, 403)])
    func readsSupplementaryGroupsFromKernel(groups: String, watching: Int, operating: Int) async throws {
        let known = AccessGroups(observe: .init(name: "o", id: 61_001), operate: .init(name: "p", id: 61_002))
        try await Served.with(FakeService(), policy: AccessPolicy(groups: known)) { served in
            let path = served.client.socketPath
            chmod(URL(fileURLWithPath: path).deletingLastPathComponent().path, 0o755)
            chmod(path, 0o666)
            for (method, call, status) in [("GET", "status", watching), ("POST", "sync", operating)] {
                let said = try await run(
                    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--groups=\(groups)", "curl", "-s", "-o", "/dev/null", "-w",
                    "%{http_code}", "-X", method, "--unix-socket", path, "http://homing/v1/\(call)")
                #expect(said == "\(status)", "\(call)")
            }
        }
    }

    private func run(_ program: String, _ arguments: String...) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        return try await process.ended(errors: false).text
    }
}
