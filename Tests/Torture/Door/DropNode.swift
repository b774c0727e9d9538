import Foundation
import Glibc

/// Nodes that are not plain files: links, pipes, devices, folders. The daemon must leave each unread in place and report it.
struct DropNode: Sendable {
    let words: String
    let path: String
    /// Creates it; false if the system does not permit that.
    let make: @Sendable (_ path: String, _ outside: String) -> Bool

    private init(_ words: String, _ path: String, _ make: @escaping @Sendable (String, String) -> Bool) {
        self.words = words
        self.path = path
        self.make = make
    }

    static let all: [DropNode] = [
        DropNode("a link to a capture outside", "users/5/link-1.json") { symlink($1 + "/secret.json", $0) == 0 },
        DropNode("a link to /etc/shadow", "users/5/link-2.json") { path, _ in symlink("/etc/shadow", path) == 0 },
        // The first name in order, so that the status shows it as the example.
        DropNode("a link whose name has terminal codes", "!\n\u{1b}[2J\u{202e}.json") { path, _ in symlink("/etc/shadow", path) == 0 },
        DropNode("a link to a folder", "users/5/link-3.json") { symlink($1, $0) == 0 },
        DropNode("a link to nothing", "users/5/link-4.json") { path, _ in symlink("/nowhere/at/all", path) == 0 },
        DropNode("a link to itself", "users/5/link-5.json") { path, _ in symlink("link-5.json", path) == 0 },
        DropNode("a link to the daemon’s own memory", "users/5/link-6.json") { path, _ in symlink("/proc/self/mem", path) == 0 },
        DropNode("a link to endless zeros", "link-7.json") { path, _ in symlink("/dev/zero", path) == 0 },
        DropNode("a link to the daemon’s key", "link-8.json") { path, _ in symlink("../../homing.key", path) == 0 },
        DropNode("a user’s folder that is a link outside", "users/7") { symlink($1, $0) == 0 },
        DropNode("a user’s folder that is a link to refused/", "users/8") { path, _ in symlink("../../refused", path) == 0 },
        DropNode("a pipe", "users/5/pipe.json") { path, _ in mkfifo(path, 0o666) == 0 },
        DropNode("a pipe where a user’s folder belongs", "users/12") { path, _ in mkfifo(path, 0o666) == 0 },
        DropNode("a socket", "users/5/socket.json") { path, _ in mknod(path, S_IFSOCK | 0o666, 0) == 0 },
        DropNode("a device of endless zeros", "users/5/zero.json") { path, _ in mknod(path, S_IFCHR | 0o666, 1 << 8 | 5) == 0 },
        DropNode("a disk", "users/5/disk.json") { path, _ in mknod(path, S_IFBLK | 0o666, 7 << 8) == 0 },
        DropNode("a folder with the name of a file", "users/5/folder.json") { path, _ in mkdir(path, 0o777) == 0 },
        DropNode("a folder in new/", "folder.json") { path, _ in mkdir(path, 0o777) == 0 },
        DropNode("a folder inside a user’s folder", "users/5/deeper") { path, outside in
            guard mkdir(path, 0o777) == 0 else { return false }
            return symlink(outside, path + "/out") == 0
        },
    ]
}
