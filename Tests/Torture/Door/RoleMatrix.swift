import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import TestSupport

/// Calls every operation of the control API as many kinds of users and compares the results with the OpenAPI description.
struct RoleMatrix: DoorPart {
    static let name = "roles"

    private static let observers: UInt32 = 61_001
    private static let operators: UInt32 = 61_002
    private static let administrators: UInt32 = 61_003
    static let ownUser: UInt32 = 61_500
    private static let many: [UInt32] = (62_000..<62_200).map { $0 }

    /// Users and the roles that they must get; nil for none.
    private static let people: [(words: String, caller: Caller, role: Access?)] = [
        ("root", Caller(uid: 0, gid: 0), .administer),
        ("the daemon’s own user", Caller(uid: ownUser, gid: 64_000), .administer),
        ("an observer by primary group", Caller(uid: 64_001, gid: observers), .observe),
        ("an observer by supplementary group", Caller(uid: 64_002, gid: 64_002, groups: [observers]), .observe),
        ("an operator", Caller(uid: 64_003, gid: 64_003, groups: [operators]), .operate),
        ("an observer and operator", Caller(uid: 64_004, gid: observers, groups: [operators]), .operate),
        ("an administrator", Caller(uid: 64_005, gid: 64_005, groups: [administrators]), .administer),
        ("a member of all groups", Caller(uid: 64_006, gid: 64_006, groups: [observers, operators, administrators]), .administer),
        ("an administrator in two hundred groups", Caller(uid: 64_007, gid: 64_007, groups: many + [administrators]), .administer),
        ("a user without a role in two hundred groups", Caller(uid: 64_008, gid: 64_008, groups: many), nil),
        ("a user without a role", Caller(uid: 64_009, gid: 64_009), nil),
        ("a user without a role whose id equals a group’s id", Caller(uid: operators, gid: 64_010), nil),
        ("a user without a role in root’s group", Caller(uid: 64_011, gid: 0, groups: [0]), nil),
        ("a user without a role in the daemon’s group", Caller(uid: 64_012, gid: ownUser), nil),
    ]

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        guard geteuid() == 0 else { return outcome.counted("skipped for lack of root: roles") }
        outcome.failures += try await round(observers: Self.observers, operators: Self.operators) { may in
            if may { outcome.counted("permitted calls") } else { outcome.met("forbidden calls") }
        }
        // The control: observers are configured as operators.
        let failures = try await round(observers: 61_009, operators: Self.observers) { _ in }
        outcome.controls.append(.init(without: "the difference between observers and operators", failedAsItShould: !failures.isEmpty))
        outcome.failures += try await withoutGroups { outcome.counted($0) }
        outcome.rounds += 1
    }

    static func table() async throws -> String {
        let station = try await TestStation()
        try await station.start()
        let table = try RoleTable(description(station)).markdown
        try await station.end(SIGTERM)
        await station.sandbox.stop()
        return table
    }

    private func round(observers: UInt32, operators: UInt32, _ called: (_ may: Bool) -> Void) async throws -> [String] {
        let station = try await Self.station(
            access: "access: {observe: \(observers), operate: \(operators), administer: \(Self.administrators)}\n")
        let socket = station.directory("homing.sock")
        // As with the systemd socket unit: everyone may connect, and groups decide.
        chmod(socket, 0o666)
        chmod(station.directory.path, 0o755)
        let table = try RoleTable(Self.description(station))
        let id = try await station.submit(id: 1).id
        var failures: [String] = []
        for operation in table.operations {
            for person in Self.people {
                let may = person.role.map { $0 >= operation.role } ?? false
                let wrong = Self.call(operation, id: id, socket, as: person.caller, may: may)
                called(may)
                if let wrong {
                    failures.append("door: \(person.words), \(operation.method) \(operation.path): \(wrong). \(Self.replay(0))")
                }
            }
        }
        try await station.end(SIGTERM)
        await station.sandbox.stop()
        return failures
    }

    /// The daemon of an ordinary user: everyone who can connect may operate.
    private func withoutGroups(_ counted: (String) -> Void) async throws -> [String] {
        // On a machine with Homing's groups these apply instead.
        guard !["homing-observe", "homing-operate", "homing-administer"].contains(where: { (name: String) in getgrnam(name) != nil }) else {
            return []
        }
        let station = try await Self.station(access: "")
        chmod(station.directory.path, 0o755)
        let socket = station.directory("homing.sock")
        let table = try RoleTable(Self.description(station))
        let id = try await station.submit(id: 1).id
        var failures: [String] = []
        for operation in table.operations {
            let colleague = Caller(uid: 64_012, gid: Self.ownUser)
            if let wrong = Self.call(operation, id: id, socket, as: colleague, may: operation.role <= .operate) {
                failures.append("door: a member of the socket’s group, \(operation.method) \(operation.path): \(wrong). \(Self.replay(0))")
            }
            counted("calls without groups")
        }
        if DoorConnection(socket, as: Caller(uid: 64_009, gid: 64_009)) != nil {
            failures.append("door: a user outside the group could connect to a socket with mode 0660. \(Self.replay(0))")
        }
        try await station.end(SIGTERM)
        await station.sandbox.stop()
        return failures
    }

    /// A daemon under its own user, signed in, with its backend down.
    private static func station(access: String) async throws -> TestStation {
        let station = try await TestStation()
        let file = station.directory("homing.yaml")
        try (String(contentsOfFile: file, encoding: .utf8) + access).write(toFile: file, atomically: true, encoding: .utf8)
        try await station.startUnprivileged(as: ownUser)
        try await station.login()
        await station.sandbox.down()
        return station
    }

    private static func description(_ station: TestStation) throws -> String {
        let socket = station.directory("homing.sock")
        let answers = DoorConnection(socket)?.exchange(Array("GET /v1/openapi.yaml HTTP/1.1\r\nHost: homing\r\n\r\n".utf8))
        guard let answer = answers?.first, answer.status == 200 else { throw StationError("the daemon returns no OpenAPI description") }
        return answer.body
    }

    /// The fault in the response, or nil. Calls with effects are invalid, since the daemon checks the role first.
    private static func call(_ operation: RoleTable.Operation, id: String, _ socket: String, as caller: Caller, may: Bool) -> String? {
        let isRead = operation.method == "GET"
        let path =
            operation.path.replacingOccurrences(of: "{id}", with: isRead ? id : "none")
            .replacingOccurrences(of: "{resource}", with: "managed_users") + (isRead ? "" : "?no_such_parameter=1")
        guard let connection = DoorConnection(socket, as: caller) else { return "could not connect" }
        let answers = connection.exchange(
            Array("\(operation.method) \(path) HTTP/1.1\r\nHost: homing\r\nContent-Length: 2\r\n\r\n{}".utf8))
        guard let answer = answers?.first else { return "got no answer" }
        if may {
            // 404: an entry without a receipt, or a profile without lists.
            let right = isRead ? [200, 404] : [200, 201, 400, 404, 409]
            return right.contains(answer.status) ? nil : "is permitted, but got \(answer.status): \(answer.body)"
        }
        let isClear = ["\"code\":\"not-permitted\"", "\"detail\":", "\"next\":"].allSatisfy(answer.body.contains)
        return answer.status == 403 && isClear ? nil : "is not permitted, but got \(answer.status): \(answer.body.prefix(300))"
    }
}
