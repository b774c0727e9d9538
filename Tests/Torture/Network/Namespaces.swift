import Foundation
import StationSupport

/// Runs a daemon in a network namespace with one link, to a second namespace that simulates the internet. Neither is connected to the real network:
/// the backend is reached through a Unix socket.
struct Namespaces: Sendable {
    /// The internet's end of the link, which is also the name server, and the backend's address.
    static let gateway = "192.0.2.1"
    static let backend = "198.51.100.7"
    static let name = "backend.homing.test"

    enum Names: String, Sendable {
        case answering, silent
        /// NXDOMAIN and SERVFAIL.
        case unknown, failing
    }

    let folder: String

    var backendSocket: String { folder + "/backend.sock" }

    init(in folder: String) throws {
        self.folder = folder
        try "nameserver \(Self.gateway)\n".write(toFile: folder + "/resolv.conf", atomically: true, encoding: .utf8)
        try "hosts: files dns\n".write(toFile: folder + "/nsswitch.conf", atomically: true, encoding: .utf8)
        try tell(.answering)
    }

    func tell(_ names: Names) throws { try names.rawValue.write(toFile: folder + "/names", atomically: true, encoding: .utf8) }

    /// A command that creates the namespaces and then executes the program after it.
    func launcher() throws -> [String] {
        // `try?`: missing before the first time.
        try? FileManager.default.removeItem(atPath: folder + "/internet.pid")
        let program = ["\(TestStation.programs)", "\(TestStation.project)/.build/debug"].map { $0 + "/homing-torture" }
        guard let program = program.first(where: FileManager.default.isExecutableFile) else {
            throw StationError("homing-torture is not in the folder of the programs. Run: make build")
        }
        let script = """
            set -e
            PATH=\(Tool.path)
            ip link set lo up
            ip link add internet type veth peer name station
            ip address add \(Self.gateway)/24 dev internet
            ip address add \(Self.backend)/32 dev lo
            ip link set internet up
            : > "$0/station"
            unshare --net="$0/station" true
            ip link set station netns "$0/station"
            mount --bind "$0/resolv.conf" /etc/resolv.conf
            mount --bind "$0/nsswitch.conf" /etc/nsswitch.conf
            setpriv --pdeathsig KILL '\(program)' internet --folder "$0" &
            exec nsenter --net="$0/station" /bin/sh -ec '
                ip link set lo up
                ip address add 192.0.2.2/24 dev station
                ip link set station up
                ip route add default via \(Self.gateway)
                exec "$@"' station "$@"
            """
        return ["unshare", "--user", "--map-root-user", "--net", "--mount", "/bin/sh", "-c", script, folder]
    }

    /// Throws, with a remedy, if namespaces cannot be created.
    static func check() async throws {
        do { try await Tool.run("unshare", "--user", "--map-root-user", "--net", "--mount", "ip", "link", "set", "lo", "up") } catch {
            throw StationError(
                "Cannot create network namespaces: \(error) Install missing tools with ‘make test-deps’, and allow namespaces with ‘sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0’ (skip settings that this kernel does not have)."
            )
        }
    }

    /// Runs ip(8) in the daemon's namespace.
    func station(_ process: Process, _ arguments: [String]) async throws { try await ip(arguments, in: process.processIdentifier) }

    /// Runs ip(8) in the internet's namespace.
    func internet(_ arguments: [String]) async throws {
        let pid = try String(contentsOfFile: folder + "/internet.pid", encoding: .utf8)
        try await ip(arguments, in: Int32(pid) ?? 0)
    }

    private func ip(_ arguments: [String], in process: Int32) async throws {
        try await Tool.run(["nsenter", "--target", "\(process)", "--user", "--net", "--preserve-credentials", "ip"] + arguments)
    }
}
