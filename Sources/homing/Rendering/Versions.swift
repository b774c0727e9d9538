import ControlAPI

/// The versions of both programs.
struct Versions: Encodable, Equatable {
    let homing: String
    /// Nil while the daemon is not running.
    let homingd: String?

    /// Asks `daemon` for its version; that it does not run is no error here.
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
