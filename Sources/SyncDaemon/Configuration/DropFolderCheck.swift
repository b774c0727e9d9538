import Capture
import ControlServer
import Foundation
import Glibc

/// Checks that operators can drop files, that the daemon can take them, and that operators cannot touch each other's.
struct DropFolderCheck {
    let operators: AccessGroups.Group
    let daemon: uid_t

    /// One sentence per fault.
    func faults(of directory: String) -> [String] {
        let folders = [directory + "/new", directory + "/new/users"]
        return closedParents(of: folders[1], folders) + folders.flatMap(faults(ofFolder:))
    }

    private func closedParents(of path: String, _ folders: [String]) -> [String] {
        var url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let own = folders.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        var faults: [String] = []
        while url.path != "/" {
            url.deleteLastPathComponent()
            guard !own.contains(url.path) else { continue }
            do {
                if try !FolderRights(of: url.path).allow(.execute, toMemberOf: operators.id) {
                    faults.append("Members of \(operators.name) cannot pass through \(described(url.path)).")
                }
            } catch { faults.append(unseen(url.path, error)) }
        }
        return faults.reversed()
    }

    private func faults(ofFolder folder: String) -> [String] {
        let rights: FolderRights
        do { rights = try FolderRights(of: folder) } catch { return [unseen(folder, error)] }
        var faults: [String] = []
        if !rights.allow([.write, .execute], toMemberOf: operators.id) {
            faults.append("Members of \(operators.name) cannot drop files into \(described(folder)).")
        }
        if rights.owner != daemon {
            faults.append("The daemon’s user does not own \(described(folder)), so it cannot move the files of others out of it.")
        }
        if !rights.isSticky { faults.append("Operators can remove each other’s files: \(described(folder)) is not sticky.") }
        // A file's group is the folder's or one of its operator's; all operators share the operator group.
        guard let defaults = rights.defaults else {
            return faults + ["\(folder) has no default ACL: who can read a dropped file depends on the umask of the program that drops it."]
        }
        let groups: Set = [operators.id]
        if !defaults.allows(.all, user: daemon, groups: [], owner: uid_t.max, group: gid_t.max) {
            faults.append("The default ACL of \(folder) does not let the daemon’s user read dropped files.")
        }
        if [AccessList.Permissions.read, .write].contains(where: {
            defaults.allows($0, user: nil, groups: groups, owner: uid_t.max, group: operators.id)
        }) {
            faults.append("The default ACL of \(folder) opens each operator’s files to the others.")
        }
        return faults
    }

    private func unseen(_ path: String, _ error: POSIXError) -> String {
        "\(path) cannot be examined: \(String(cString: strerror(error.code.rawValue)))."
    }

    /// The path with owner, group and mode, as in `ls -l`.
    private func described(_ path: String) -> String {
        guard let rights = try? FolderRights(of: path) else { return path }  // `try?`: it was removed meanwhile
        let owner = UserName(rights.owner).short
        let mode = String(rights.mode, radix: 8)
        return
            "\(path) (\(owner):\(AccessGroups.Group(numbered: rights.group).name), mode \(mode)\(rights.access == nil ? "" : " and an ACL"))"
    }
}
