import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Dropped captures, some damaged on disk. The daemon stores each once and unchanged, or refuses and keeps it.
struct DroppedFiles {
    private let station: TestStation
    /// By size in bytes, which is unique among all captures.
    private var contents: [Int: Data] = [:]
    /// Damaged files, and those that were damaged in `taken`.
    private var damaged: Set<Int> = []
    private var damagedWhenTaken: Set<Int> = []
    private var ids: [Int: String] = [:]

    init(at station: TestStation) { self.station = station }

    var count: Int { contents.count }

    // MARK: Dropping

    mutating func drop(_ more: Int) throws {
        let folder = station.directory("state/spool/new/users/9")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for _ in 0..<more {
            let number = contents.count + 1
            let padding = String(repeating: "n", count: 200 + number)
            let content = Data(
                #"{"timestamp":1700000000,"average_measurements":{"14-818":{"value":17.25,"description":"\#(padding)"}}}"#.utf8)
            contents[content.count] = content
            let draft = station.directory("dropping")
            try content.write(to: URL(fileURLWithPath: draft))
            try FileManager.default.moveItem(atPath: draft, toPath: "\(folder)/\(number).json")
        }
    }

    /// Drops files and waits until some are taken and not yet stored, but only for a moment, since that passes quickly.
    mutating func dropUntilTaken(_ more: Int) async throws {
        try drop(more)
        let limit = ContinuousClock.now + .milliseconds(400)
        while ContinuousClock.now < limit, Self.files(in: room("taken")).isEmpty { await pauseBriefly() }
    }

    mutating func flip(_ generator: inout SplitMix64) throws -> [Change] {
        var changes: [Change] = []
        for (name, folder) in [("spool/new", room("new/users/9")), ("spool/taken", room("taken"))] {
            for path in Self.files(in: folder) where Int.random(in: 0..<3, using: &generator) == 0 {
                guard let content = try Flips.inFile(path, atMost: 3, &generator) else { continue }
                contents[content.count] = content
                damaged.insert(content.count)
                if name == "spool/taken" { damagedWhenTaken.insert(content.count) }
                changes.append(Change(file: name))
            }
        }
        return changes
    }

    // MARK: Looking

    /// Neither stored nor refused.
    var waiting: [String] { Self.files(in: room("new/users/9")) + Self.files(in: room("taken")) }

    private var refused: [String] { Self.files(in: room("refused")).filter { !$0.hasSuffix(".reason") } }

    private func room(_ name: String) -> String { station.directory("state/spool/\(name)") }

    private static func files(in folder: String) -> [String] {
        // `try?`: a missing folder is empty.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
    }

    /// The ids of stored files, and the number of files that disappeared.
    mutating func recognise(_ rows: [EntrySummary]) -> (ids: [String], gone: Int) {
        for row in rows where contents[row.size] != nil && ids[row.size] == nil { ids[row.size] = row.id }
        let kept = Set((waiting + refused).compactMap(Self.size))
        return (Array(ids.values), contents.keys.count { ids[$0] == nil && !kept.contains($0) })
    }

    // `try?`: taken meanwhile.
    private static func size(_ path: String) -> Int? { (try? Data(contentsOf: URL(fileURLWithPath: path)))?.count }

    /// - Parameter storeIsWhole: the store was never damaged. Otherwise a stored file may be unreadable and refused as a different one with the same
    ///   id.
    func problems(storeIsWhole: Bool) async throws -> [String] {
        var problems: [String] = []
        let rows = Dictionary(grouping: try await station.entries().filter { contents[$0.size] != nil }, by: \.size)
        var kept: [Int: [Data]] = [:]
        for path in waiting + refused {
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            kept[content.count, default: []].append(content)
        }
        for (size, content) in contents.sorted(by: { $0.key < $1.key }) {
            let name = "the file of \(size) bytes\(damaged.contains(size) ? " (some bytes flipped)" : "")"
            let stored = (rows[size] ?? []).filter { $0.holdReason != "unreadable" }
            let copies = kept[size] ?? []
            if stored.count > 1 { problems.append("\(name) is stored as \(stored.map(\.id).sorted())") }
            if copies.count > 1 { problems.append("\(name) exists \(copies.count) times") }
            if copies.contains(where: { $0 != content }) { problems.append("\(name) was changed when it was set aside") }
            if copies.isEmpty { continue }
            if !damaged.contains(size), storeIsWhole { problems.append("\(name) is intact but was not accepted") }
            // A damaged leftover of a stored file is put aside because it differs from the entry.
            if !stored.isEmpty, !damagedWhenTaken.contains(size), storeIsWhole { problems.append("\(name) is stored but not removed") }
        }
        return problems + unstoredWell(rows) + (try await untold())
    }

    private func unstoredWell(_ rows: [Int: [EntrySummary]]) -> [String] {
        let arrived = Dictionary(station.sandbox.ledger.entries.map { ($0.clientMutationID ?? "", $0.digest) }) { first, _ in first }
        return rows.flatMap { size, rows in
            rows.filter { row in
                guard !damagedWhenTaken.contains(size), let digest = arrived[row.id], let content = contents[size] else { return false }
                // `try?`: a file that is not JSON cannot be delivered unchanged.
                var document = (try? JSON(bytes: Array(content)))?.members ?? [:]
                document["client_mutation_id"] = .string(row.id)
                return LedgerEntry.digest(of: JSON.object(document).bytes) != digest
            }.map { "the file of \(size) bytes was delivered with other content, as \($0.id)" }
        }
    }

    /// Each refused file has a `.reason` and is counted, and so is each file that cannot be taken.
    private func untold() async throws -> [String] {
        let status = try await station.status()
        let (refused, spool) = (refused, status.spool)
        var problems = refused.filter { !FileManager.default.fileExists(atPath: $0 + ".reason") }.map { "\($0) has no reason beside it" }
        if spool?.refused != refused.count {
            problems.append("\(refused.count) files are refused, but the status says \(spool?.refused ?? 0)")
        }
        if !refused.isEmpty, !status.attention.contains(where: { $0.code == "refused-files" }) {
            problems.append("the status does not list refused files as a problem")
        }
        if waiting.count > spool?.stuck ?? 0 { problems.append("\(waiting) are waiting, but the status does not say why") }
        return problems
    }
}
