import Foundation
import Glibc
import SyncModel

/// The room for a copy in another folder than the store's. That may be in memory, which also counts against the limit of the service.
struct SpareRoom: Equatable, Sendable {
    /// Bytes of the file system.
    var total: Int64
    /// Bytes free in it.
    var free: Int64
    /// Where a file system in memory is mounted; nil for a disk.
    var mount: String?
    /// Nil without a limit, and for a disk.
    var memory: ServiceMemory?

    init(total: Int64, free: Int64, mount: String? = nil, memory: ServiceMemory? = nil) {
        (self.total, self.free, self.mount, self.memory) = (total, free, mount, memory)
    }

    /// Nil if the folder cannot be examined.
    init?(in folder: String) {
        var info = stat()
        guard let disk = Ballast.disk(of: folder), stat(folder, &info) == 0 else { return nil }
        self.init(total: disk.total, free: disk.free)
        guard let found = MountedFileSystem(device: UInt64(info.st_dev), in: MountedFileSystem.table), found.type == "tmpfs" else { return }
        (mount, memory) = (found.point, ServiceMemory.current)
    }

    /// Throws `noSpareRoom`, with the commands that make room, unless a copy of `size` bytes fits.
    func require(_ size: Int64, in folder: String) throws(BackupError) {
        let missing = size + Self.margin - free
        let limit = memory.flatMap { $0.free < size + Self.margin ? $0 : nil }
        guard missing > 0 || limit != nil else { return }
        var commands: [String] = []
        if let mount, missing > 0 { commands.append("sudo mount -o remount,size=\(Self.mebibytes(total + missing))M \(mount)") }
        if let limit {
            let enough = Self.mebibytes(limit.used + size + Self.margin)
            commands.append("sudo systemctl set-property --runtime \(limit.unit) MemoryMax=\(enough)M")
        }
        throw .noSpareRoom(folder: folder, needed: size, free: max(0, min(free, limit?.free ?? free)), commands: commands)
    }

    /// Bytes for the description of the backup and for the daemon's own work meanwhile.
    static let margin: Int64 = 32 << 20

    private static func mebibytes(_ bytes: Int64) -> Int64 { (bytes + (1 << 20) - 1) >> 20 }
}

/// The memory of the daemon's service, in bytes: the kernel ends a service that exceeds its limit.
struct ServiceMemory: Equatable, Sendable {
    var unit: String
    var limit: Int64
    /// The bytes that the kernel cannot take back.
    var used: Int64

    var free: Int64 { limit - used }

    init(unit: String, limit: Int64, used: Int64) { (self.unit, self.limit, self.used) = (unit, limit, used) }

    /// From the files `memory.max` and `memory.stat` of a control group. Nil outside a service, and without a limit.
    init?(group: String, limit: String, use: String) {
        guard let unit = group.split(separator: "/").last, unit.hasSuffix(".service"),
            let limit = Int64(limit.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return nil }
        var used: Int64 = 0
        for line in use.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, ["anon", "shmem", "kernel"].contains(fields[0]) { used += Int64(fields[1]) ?? 0 }
        }
        self.init(unit: String(unit), limit: limit, used: used)
    }

    static var current: ServiceMemory? {
        // `try?`: without these files no limit is known.
        func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        guard let line = content("/proc/self/cgroup").split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
        let group = String(line.dropFirst(3))
        return ServiceMemory(
            group: group, limit: content("/sys/fs/cgroup\(group)/memory.max"), use: content("/sys/fs/cgroup\(group)/memory.stat"))
    }
}
