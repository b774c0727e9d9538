import Foundation
import Outbox

extension Disk {
    /// The files after a power cut, by path below the directory.
    struct Image: Sendable {
        var folders: Set<String> = []
        var files: [String: [UInt8]] = [:]

        private static let use = ".use"

        /// Rewrites the `.use` marker of a store, since it contains the inode number of the file.
        private func use(_ content: [UInt8], of store: String) -> [UInt8] {
            // `try?`: without the store, the marker stays as it is.
            let number = (try? FileManager.default.attributesOfItem(atPath: store))?[.systemFileNumber] as? Int
            guard var mark = StoreMark(Data(content)), mark.inode != nil, let number else { return content }
            mark.inode = UInt64(number)
            return Array(mark.content)
        }

        /// Writes the image to `directory`, which must be empty or missing.
        func write(to directory: String) throws {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for folder in folders.sorted() {
                try FileManager.default.createDirectory(atPath: "\(directory)/\(folder)", withIntermediateDirectories: true)
            }
            for (path, content) in files.sorted(by: { $0.key < $1.key }) {
                let content = path.hasSuffix(Self.use) ? use(content, of: "\(directory)/\(path.dropLast(Self.use.count))") : content
                let descriptor = open("\(directory)/\(path)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
                defer { close(descriptor) }
                var written = 0
                while written < content.count {
                    let count = content.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, content.count - written) }
                    guard count > 0 else { throw CocoaError(.fileWriteOutOfSpace) }
                    written += count
                }
            }
        }
    }

    static let sector = 512

    enum Share: CaseIterable {
        case nothing, everything, some, allButOne, onlyOne

        /// For each of `counts`, the number of changes that reached the disk.
        func draw(_ counts: [Int], using generator: inout some RandomNumberGenerator) -> [Int] {
            let one = counts.indices.randomElement(using: &generator)
            return counts.enumerated().map { place, count in
                switch self {
                case .nothing: 0
                case .everything: count
                case .some: Int.random(in: 0...count, using: &generator)
                case .allButOne: place == one ? Int.random(in: 0..<max(count, 1), using: &generator) : count
                case .onlyOne: place == one ? count : 0
                }
            }
        }
    }

    /// A possible image after a cut at this moment. The same generator gives the same image.
    func image(using generator: inout some RandomNumberGenerator) -> Image {
        let share = Share.allCases.randomElement(using: &generator) ?? .some
        let pending = folders.filter { !$0.value.pending.isEmpty }.sorted { $0.key < $1.key }
        let settled = closure(
            Dictionary(
                uniqueKeysWithValues: zip(
                    pending.map(\.key), share.draw(pending.map(\.value.pending.count), using: &generator))))
        var durable = folders.mapValues(\.durable)
        for number in settled.sorted() {
            for change in renamings[number]?.changes ?? [] { durable[change.folder]?[change.name] = change.node }
        }
        var image = Image()
        collect(Self.root, at: "", durable, into: &image, using: &generator)
        return image
    }

    private func collect(
        _ folder: Node, at path: String, _ names: [Node: [String: Node]], into image: inout Image,
        using generator: inout some RandomNumberGenerator
    ) {
        for (name, node) in (names[folder] ?? [:]).sorted(by: { $0.key < $1.key }) where !Self.saysNothing(name) {
            if let file = files[node] {
                image.files[path + name] = file.image(using: &generator)
            } else {
                image.folders.insert(path + name)
                collect(node, at: "\(path)\(name)/", names, into: &image, using: &generator)
            }
        }
    }

    var presentImage: Image {
        var image = Image()
        func collect(_ folder: Node, at path: String) {
            for (name, node) in folders[folder]?.names ?? [:] where !Self.saysNothing(name) {
                if let file = files[node] {
                    image.files[path + name] = file.content
                } else {
                    image.folders.insert(path + name)
                    collect(node, at: "\(path)\(name)/")
                }
            }
        }
        collect(Self.root, at: "")
        return image
    }
}

extension Disk.File {
    /// A possible content after a cut: each sector as of some moment, the length of some moment, and the effect of a truncation only if it happened.
    func image(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        if pending.isEmpty { return durable }
        let sector = Disk.sector
        var sizes = [durable.count]
        for change in pending {
            switch change {
            case .write(let offset, let bytes): sizes.append(max(sizes[sizes.count - 1], offset + bytes.count))
            case .truncate(let size): sizes.append(size)
            }
        }
        let share = Disk.Share.allCases.randomElement(using: &generator) ?? .some
        // The length after so many changes.
        let moment = share.draw([pending.count], using: &generator)[0]
        let touches = touches(sizes)
        let touched = touches.keys.sorted()
        var kept: [Int: Int] = [:]
        for (place, count) in zip(touched, share.draw(touched.map { touches[$0]?.count ?? 0 }, using: &generator)) {
            kept[place] = bounded(count, of: touches[place] ?? [], at: place, sizes: sizes, moment: moment)
        }
        var content = durable + [UInt8](repeating: 0, count: max(0, (sizes.max() ?? 0) - durable.count))
        // Allocated but unwritten sectors may hold old data of other files.
        if Bool.random(using: &generator), Bool.random(using: &generator) {
            for place in touched where kept[place] == 0 && place * sector >= durable.count {
                for byte in place * sector..<min((place + 1) * sector, content.count) {
                    content[byte] = .random(in: 0...255, using: &generator)
                }
            }
        }
        for (number, change) in pending.enumerated() { apply(change, number, to: &content, sizes[number], touches, kept) }
        let size = sizes[moment]
        return size <= content.count ? Array(content[..<size]) : content + [UInt8](repeating: 0, count: size - content.count)
    }

    private func touches(_ sizes: [Int]) -> [Int: [Int]] {
        var touches: [Int: [Int]] = [:]
        for (number, change) in pending.enumerated() {
            let range =
                switch change {
                case .write(let offset, let bytes): offset..<offset + bytes.count
                case .truncate(let size): size..<max(size, sizes[number])
                }
            if range.isEmpty { continue }
            for place in range.lowerBound / Disk.sector...(range.upperBound - 1) / Disk.sector {
                touches[place, default: []].append(number)
            }
        }
        return touches
    }

    /// Limits the changes of a sector by truncations: earlier writes are lost with a truncation, later ones require it.
    private func bounded(_ count: Int, of changes: [Int], at place: Int, sizes: [Int], moment: Int) -> Int {
        var count = count
        for (rank, number) in changes.enumerated() {
            guard case .truncate(let size) = pending[number], place * Disk.sector >= size else { continue }
            if number >= moment { return min(count, rank) }
            count = max(count, rank + 1)
        }
        return count
    }

    private func apply(
        _ change: Disk.Change, _ number: Int, to content: inout [UInt8], _ size: Int, _ touches: [Int: [Int]], _ kept: [Int: Int]
    ) {
        let range: Range<Int>
        switch change {
        case .write(let offset, let bytes): range = offset..<offset + bytes.count
        case .truncate(let length): range = length..<max(length, size)
        }
        if range.isEmpty { return }
        for place in range.lowerBound / Disk.sector...(range.upperBound - 1) / Disk.sector {
            guard let rank = touches[place]?.firstIndex(of: number), rank < kept[place] ?? 0 else { continue }
            let part = range.clamped(to: place * Disk.sector..<(place + 1) * Disk.sector)
            switch change {
            case .write(let offset, let bytes):
                content.replaceSubrange(part, with: bytes[part.lowerBound - offset..<part.upperBound - offset])
            case .truncate: for byte in part { content[byte] = 0 }
            }
        }
    }
}
