/// The durable state of a disk, and pending changes that may have reached it: a file's content since its last fsync, and a folder's names since the
/// folder's fsync.
///
/// Assumptions: a sector of 512 bytes has its content of one moment since the last fsync; name changes in one folder are ordered; a rename is atomic,
/// even between folders.
struct Disk: Sendable {
    typealias Node = Int

    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    struct File: Sendable {
        var durable: [UInt8] = []
        var pending: [Change] = []
        /// In bytes, including pending changes.
        var size = 0

        var content: [UInt8] {
            var content = durable
            for change in pending { change.apply(to: &content) }
            return content
        }
    }

    struct Folder: Sendable {
        var durable: [String: Node] = [:]
        var names: [String: Node] = [:]
        /// The numbers of changes that touch this folder.
        var pending: [Int] = []
    }

    /// Name changes that happen together; nil for a removed name.
    struct Renaming: Sendable { var changes: [(folder: Node, name: String, node: Node?)] }

    /// For a control: returns true for a path whose fsync is ignored. The path of a folder ends in a slash.
    var disbelieves: @Sendable (String) -> Bool = { _ in false }

    static let root = 0
    private(set) var files: [Node: File] = [:]
    private(set) var folders: [Node: Folder] = [root: Folder()]
    private(set) var renamings: [Int: Renaming] = [:]
    private var nextNode = 1
    private var nextRenaming = 0
    private var handles: [UInt64: (node: Node, path: String)] = [:]

    struct CannotReplay: Error, CustomStringConvertible { let description: String }

    mutating func apply(_ record: Record) throws(CannotReplay) {
        switch record.kind {
        case .open: try open(record)
        case .write:
            guard let node = try file(record) else { return }
            let size = max(files[node]?.size ?? 0, record.offset + record.data.count)
            files[node]?.pending.append(.write(offset: record.offset, bytes: record.data))
            files[node]?.size = size
        case .truncate:
            guard let node = try file(record) else { return }
            truncate(node, to: record.offset)
        case .sync: try sync(record)
        case .rename: try rename(record)
        case .link:
            let (target, name) = try place(record.second)
            change([(target, name, try node(record.path))])
        case .unlink, .removeFolder:
            let (folder, name) = try place(record.path)
            change([(folder, name, nil)])
        case .makeFolder:
            let (folder, name) = try place(record.path)
            change([(folder, name, newFolder())])
        case .placed, .placedFolder: try put(record)
        case .unknown: throw CannotReplay(description: "a call to \(record.path) cannot be replayed")
        case .sent, .mark: break
        }
    }

    // MARK: Content

    private mutating func open(_ record: Record) throws(CannotReplay) {
        if record.flags & Record.created != 0 {
            let (folder, name) = try place(record.path)
            nextNode += 1
            files[nextNode] = File()
            change([(folder, name, nextNode)])
        }
        let node = try node(record.path)
        handles[record.handle] = (node, record.path)
        if record.flags & Record.emptied != 0, let size = files[node]?.size, size > 0 { truncate(node, to: 0) }
    }

    private mutating func truncate(_ node: Node, to size: Int) {
        guard let file = files[node], file.size != size else { return }
        files[node]?.pending.append(.truncate(size))
        files[node]?.size = size
    }

    /// True for files without a meaning after a power cut: SQLite's shared memory and the reserve.
    static func saysNothing(_ path: String) -> Bool { path.hasSuffix("-shm") || path.split(separator: "/").last == "ballast" }

    /// The file of a handle; nil for one that is ignored.
    private func file(_ record: Record) throws(CannotReplay) -> Node? {
        guard let handle = handles[record.handle] else { throw CannotReplay(description: "a handle that was never opened") }
        return Self.saysNothing(handle.path) ? nil : handle.node
    }

    private mutating func sync(_ record: Record) throws(CannotReplay) {
        guard let (node, path) = handles[record.handle] else { throw CannotReplay(description: "a handle that was never opened") }
        guard !disbelieves(folders[node] == nil ? path : path + "/") else { return }
        if let file = files[node] {
            files[node]?.durable = file.content
            files[node]?.pending = []
        } else {
            let settled = closure([node: folders[node]?.pending.count ?? 0])
            for number in renamings.keys.sorted() where settled.contains(number) {
                for change in renamings[number]?.changes ?? [] {
                    folders[change.folder]?.durable[change.name] = change.node
                    folders[change.folder]?.pending.removeAll { $0 == number }
                }
                renamings[number] = nil
            }
        }
    }

    // MARK: Names

    private mutating func rename(_ record: Record) throws(CannotReplay) {
        guard !record.path.isEmpty, !record.second.isEmpty else {
            throw CannotReplay(description: "a rename to or from another directory: \(record.path)\(record.second)")
        }
        let (from, old) = try place(record.path)
        let (to, new) = try place(record.second)
        change([(from, old, nil), (to, new, try node(record.path))])
    }

    private mutating func change(_ changes: [(folder: Node, name: String, node: Node?)]) {
        nextRenaming += 1
        renamings[nextRenaming] = Renaming(changes: changes)
        for folder in Set(changes.map(\.folder)) { folders[folder]?.pending.append(nextRenaming) }
        for change in changes { folders[change.folder]?.names[change.name] = change.node }
    }

    private mutating func newFolder() -> Node {
        nextNode += 1
        folders[nextNode] = Folder()
        return nextNode
    }

    private mutating func put(_ record: Record) throws(CannotReplay) {
        let (folder, name) = try place(record.path)
        let node: Node
        if record.kind == .placedFolder {
            node = newFolder()
        } else {
            nextNode += 1
            node = nextNode
            files[node] = File(durable: record.data, size: record.data.count)
        }
        folders[folder]?.names[name] = node
        folders[folder]?.durable[name] = node
    }

    private func node(_ path: String) throws(CannotReplay) -> Node {
        var node = Self.root
        for name in path.split(separator: "/") {
            guard let next = folders[node]?.names[String(name)] else { throw CannotReplay(description: "\(path) does not exist") }
            node = next
        }
        return node
    }

    private func place(_ path: String) throws(CannotReplay) -> (folder: Node, name: String) {
        let parts = path.split(separator: "/")
        guard let name = parts.last else { throw CannotReplay(description: "the directory itself was renamed or removed") }
        return (try node(parts.dropLast().joined(separator: "/")), String(name))
    }

    /// All renamings that must have happened if so many of each folder have.
    func closure(_ least: [Node: Int]) -> Set<Int> {
        var counts = least
        var open = Array(least.keys)
        var settled: Set<Int> = []
        while let folder = open.popLast() {
            for number in folders[folder]?.pending.prefix(counts[folder] ?? 0) ?? [] where settled.insert(number).inserted {
                for other in renamings[number]?.changes.map(\.folder) ?? [] where other != folder {
                    let needed = (folders[other]?.pending.firstIndex(of: number) ?? -1) + 1
                    if needed > counts[other] ?? 0 {
                        counts[other] = needed
                        open.append(other)
                    }
                }
            }
        }
        return settled
    }
}

extension Disk.Change {
    func apply(to content: inout [UInt8]) {
        switch self {
        case .write(let offset, let bytes):
            if content.count < offset + bytes.count { content += [UInt8](repeating: 0, count: offset + bytes.count - content.count) }
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        case .truncate(let size):
            if size < content.count {
                content.removeLast(content.count - size)
            } else {
                content += [UInt8](repeating: 0, count: size - content.count)
            }
        }
    }
}
