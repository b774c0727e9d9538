import ControlAPI

struct Versions: Encodable, Equatable {
    let homing: String
    /// Nil if the daemon is not running.
    let homingd: String?

    /// Asks the daemon for its version; a daemon that is not running is not an error.
    init(client: String, daemon: () async throws(Problem) -> String) async throws(Problem) {
        homing = client
        do throws(Problem) {
            homingd = try await daemon()
        } catch {
            guard error.code == .daemonNotRunning else { throw error }
            homingd = nil
        }
    }

    var text: String { "homing \(homing)\nhomingd \(homingd?.printable ?? "is not running")" }
}
