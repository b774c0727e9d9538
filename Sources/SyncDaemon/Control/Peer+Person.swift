import ControlServer
import Glibc

extension Peer {
    /// The name by which the system knows the user, `anna`, else `user 1000`.
    var person: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
            return "user \(uid)"
        }
        return String(cString: name)
    }
}
