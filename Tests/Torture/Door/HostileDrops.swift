import Foundation
import Glibc
import StationSupport
import SystemPackage
import TestSupport

/// Hostile files in the drop folder of a running daemon, placed mostly with a rename, as well-behaved programs do.
struct HostileDrops {
    /// The number of files with each fate.
    struct Fates: Equatable {
        var refused = 0
        var stuck = 0
        var unclaimed = 0
        var delivered = 0

        func difference(from expected: Fates) -> String {
            "refused \(refused) of \(expected.refused), stuck \(stuck) of \(expected.stuck), unclaimed \(unclaimed) of \(expected.unclaimed), delivered \(delivered) of \(expected.delivered)"
        }
    }

    private static let user = HostileSpool.user

    private let station: TestStation
    private let new, staging: String
    private(set) var expected = Fates()

    init(at station: TestStation) {
        self.station = station
        new = station.directory("state/spool/new")
        staging = station.directory("state/spool/.staging")
        mkdir(staging, 0o777)
    }

    // MARK: Files

    mutating func put(_ hazards: [DropHazard], _ outcome: inout Outcome) throws {
        for (number, hazard) in hazards.enumerated() { try Self.put(hazard, in: new, by: "\(staging)/\(number)") }
        outcome.met("files with hostile names", DropHazard.names.count)
        outcome.met("files that are not captures", hazards.count - DropHazard.names.count - DropHazard.places.count)
        outcome.met("files in wrong places", DropHazard.places.count)
        for hazard in hazards {
            switch hazard.fate {
            case .refused: expected.refused += 1
            case .stuck: expected.stuck += 1
            case .unclaimed: expected.unclaimed += 1
            case .delivered: expected.delivered += 1
            case .left: break
            }
        }
    }

    private static func put(_ hazard: DropHazard, in new: String, by staging: String) throws {
        try Data(hazard.content).write(to: URL(fileURLWithPath: staging))
        chown(staging, user, user)
        let path = FilePath(new)
        let target = FilePath(platformString: Array(new.utf8CString.dropLast()) + [0x2f] + hazard.path.map(CChar.init(bitPattern:)) + [0])
        var folders: [FilePath] = []
        while case let folder = (folders.last ?? target).removingLastComponent(), folder != path { folders.append(folder) }
        for folder in folders.reversed() {
            folder.withPlatformString {
                mkdir($0, 0o777)
                lchown($0, user, user)
            }
        }
        let isThere = target.withPlatformString { rename(staging, $0) == 0 }
        guard isThere else { throw StationError("could not create \(hazard.words): \(String(cString: strerror(errno)))") }
    }

    /// Links and other nodes that are not files, some of which lead out of the drop folder.
    mutating func putNodes(to outside: Outside, _ outcome: inout Outcome) {
        for node in DropNode.all {
            guard node.make("\(new)/\(node.path)", outside.path) else {
                outcome.counted("skipped, because this system cannot create it: \(node.words)")
                continue
            }
            expected.stuck += 1
            outcome.met("links, pipes, sockets, devices and folders")
        }
        link(outside.path + "/linked.json", "\(new)/users/5/hard-1.json")
        link(station.directory("state/homing.key"), "\(new)/users/5/hard-2.json")
        expected.stuck += 2
        outcome.met("hard links", 2)
    }

    mutating func putSparse(_ outcome: inout Outcome) {
        let sparse = "\(staging)/sparse"
        let file = open(sparse, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        ftruncate(file, 4 << 30)
        close(file)
        rename(sparse, "\(new)/users/5/sparse.json")
        expected.refused += 1
        outcome.met("a file of 4 GiB")
    }

    mutating func putForbidden(_ outcome: inout Outcome) throws {
        guard geteuid() == 0 else {
            outcome.counted("skipped for lack of root: files of other users without permission")
            return
        }
        func file(_ path: String, _ mark: Int, mode: mode_t) throws {
            try Data(DropHazard.capture(mark).utf8).write(to: URL(fileURLWithPath: staging + "/own"))
            chmod(staging + "/own", mode)
            rename(staging + "/own", path)
        }
        try file("\(new)/users/5/unreadable.json", 3000, mode: 0)
        mkdir("\(new)/users/20", 0o755)
        try file("\(new)/users/20/a.json", 3001, mode: 0o644)
        mkdir("\(new)/users/21", 0o700)
        try file("\(new)/users/21/a.json", 3002, mode: 0o644)
        mkdir("\(new)/users/22", 0o711)
        try file("\(new)/users/22/a.json", 3003, mode: 0o644)
        expected.stuck += 4
        outcome.met("files and folders without permission", 4)
    }

    // MARK: A file that is written slowly

    /// A file must be taken only after its writer closes it.
    struct SlowFile {
        private let path: String
        private let writer: Int32
        private let text = Array(DropHazard.capture(4000).utf8)

        fileprivate init(_ path: String) {
            self.path = path
            writer = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            // Owned by the daemon's user: the kernel reports writers of other users' files only with CAP_LEASE, which the daemon has under systemd.
            fchown(writer, user, user)
            _ = text[..<10].withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        }

        var isThere: Bool { access(path, F_OK) == 0 }

        func finish() {
            _ = text[10...].withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
            close(writer)
        }
    }

    func beginSlowFile(_ outcome: inout Outcome) -> SlowFile {
        outcome.met("a file that is written slowly")
        return SlowFile("\(new)/users/5/slow.json")
    }

    // MARK: Many files

    mutating func flood(_ count: Int, _ outcome: inout Outcome) throws {
        for number in 0..<count {
            let name = "\(staging)/f\(number)"
            try Data("no capture \(number)".utf8).write(to: URL(fileURLWithPath: name))
            chown(name, Self.user, Self.user)
            let folder = "\(new)/users/\(1000 + number % 50)"
            if number < 50 {
                mkdir(folder, 0o777)
                lchown(folder, Self.user, Self.user)
            }
            rename(name, "\(folder)/\(number < count / 4 ? "capture-\(number / 50)" : "\(number)").json")
            if try Self.race(for: station.directory("state"), in: new, by: staging) { expected.refused += 1 }
        }
        expected.refused += count
        outcome.met("broken files at once", count)
        outcome.met("folders replaced with a link to the state directory", count)
    }

    /// Briefly replaces a folder, which has a file with the name of the daemon's key, with a link to `state`. True if the file is new.
    private static func race(for state: String, in new: String, by staging: String) throws -> Bool {
        let (folder, aside) = ("\(new)/users/30", "\(new)/users/.aside")
        mkdir(folder, 0o777)
        lchown(folder, user, user)
        let isNew = access(folder + "/homing.key", F_OK) != 0
        if isNew {
            try Data("no capture".utf8).write(to: URL(fileURLWithPath: staging + "/key"))
            chown(staging + "/key", user, user)
            rename(staging + "/key", folder + "/homing.key")
        }
        rename(folder, aside)
        symlink(state, folder)
        unlink(folder)
        rename(aside, folder)
        return isNew
    }
}
