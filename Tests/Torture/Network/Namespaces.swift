import Foundation
import StationSupport

/// A daemon in a network namespace of its own, whose one link leads to a second one that stands in for the internet. Neither leads any further:
/// the backend is reached through a Unix socket.
struct Namespaces: Sendable {
    /// The internet's end of the link, which is also where names are asked for; and where the backend is.
    static let gateway = "192.0.2.1"
    static let backend = "198.51.100.7"
    static let name = "backend.homing.test"

    /// How questions for a name fare.
    enum Names: String, Sendable {
        case answering, silent
        /// NXDOMAIN and SERVFAIL.
        case unknown, failing
    }

    /// Holds the files of which the script speaks.
    let folder: String

    /// Where the backend is to listen for what comes from there.
    var backendSocket: String { folder + "/backend.sock" }

    init(in folder: String) throws {
        self.folder = folder
        try "nameserver \(Self.gateway)\n".write(toFile: folder + "/resolv.conf", atomically: true, encoding: .utf8)
        try "hosts: files dns\n".write(toFile: folder + "/nsswitch.conf", atomically: true, encoding: .utf8)
        try tell(.answering)
    }

    func tell(_ names: Names) throws { try names.rawValue.write(toFile: folder + "/names", atomically: true, encoding: .utf8) }

    /// What makes the namespaces and then becomes the program that follows.
    func launcher() throws -> [String] {
        // `try?`: there is none before the first time.
        try? FileManager.default.removeItem(atPath: folder + "/internet.pid")
        let program = ["\(TestStation.programs)", "\(TestStation.project)/.build/debug"].map { $0 + "/homing-torture" }
        guard let program = program.first(where: FileManager.default.isExecutableFile) else {
            throw StationError("homing-torture is not beside the programs. Run: swift build")
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

    /// Throws, with what to do about it, where namespaces cannot be made.
    static func check() async throws {
        do { try await Tool.run("unshare", "--user", "--map-root-user", "--net", "--mount", "ip", "link", "set", "lo", "up") } catch {
            throw StationError(
                "Network namespaces cannot be made here, which this needs: \(error) Install what is missing with ‘make test-deps’, and allow namespaces with ‘sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0’, those that there are."
            )
        }
    }

    /// Runs ip(8) where the daemon is.
    func station(_ process: Process, _ arguments: [String]) async throws { try await ip(arguments, in: process.processIdentifier) }

    /// Runs ip(8) beyond the link.
    func internet(_ arguments: [String]) async throws {
        let pid = try String(contentsOfFile: folder + "/internet.pid", encoding: .utf8)
        try await ip(arguments, in: Int32(pid) ?? 0)
    }

    private func ip(_ arguments: [String], in process: Int32) async throws {
        try await Tool.run(["nsenter", "--target", "\(process)", "--user", "--net", "--preserve-credentials", "ip"] + arguments)
    }
}
