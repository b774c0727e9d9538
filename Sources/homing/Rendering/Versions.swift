import ControlAPI

struct Versions: Encodable, Equatable {
    let homing: String
    /// Nil if the daemon is not running.
    let homingd: String?
    /// The version of the Debian package; nil without one.
    let package: String?

    /// Asks the daemon for its version; a daemon that is not running is not an error.
    init(client: String, package: String? = nil, daemon: () async throws(Problem) -> String) async throws(Problem) {
        (homing, self.package) = (client, package)
        do throws(Problem) {
            homingd = try await daemon()
        } catch {
            guard error.code == .daemonNotRunning else { throw error }
            homingd = nil
        }
    }

    var text: String {
        "homing \(homing)\nhomingd \(homingd?.printable ?? "is not running")" + (package.map { "\npackage \($0.printable)" } ?? "")
    }
}
