import ControlServer
import Glibc

extension Peer {
    static var ofThisProcess: Peer {
        var groups = [gid_t](repeating: 0, count: Int(getgroups(0, nil)))
        let count = getgroups(Int32(groups.count), &groups)
        return Peer(pid: getpid(), uid: geteuid(), groups: Set(groups.prefix(Int(max(0, count)))).union([getegid()]))
    }
}
