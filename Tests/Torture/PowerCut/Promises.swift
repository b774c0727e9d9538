import Foundation

/// The daemon's promises at one moment of a recording, which must survive a power cut then.
struct Promises: Sendable {
    /// Ids that the daemon sent to anyone. The store must contain each.
    private(set) var told: Set<String> = []
    /// Confirmed states: of `entry.<id>`, `session.<backend>` (signedIn or signedOut) and `pause.<backend>` (yes or no). Absent during a change.
    private(set) var states: [String: String] = [:]
    private(set) var dropped: [String: [UInt8]] = [:]
    /// The ids that the daemon assigned to dropped files, by file name.
    private(set) var bound: [String: String] = [:]
    /// Bearer tokens in the order of their first use in a request.
    private(set) var tokens: [String] = []

    mutating func apply(_ record: Record, _ words: Words) {
        switch record.kind {
        case .sent:
            // Other ids are the backend's.
            told.formUnion(words.ids.filter { $0.hasPrefix("00000000-0000-7000-8000-") || bound.values.contains($0) })
            if let token = words.token, !tokens.contains(token) { tokens.append(token) }
        case .rename where record.second.hasPrefix("spool/taken/"):
            let name = record.second.dropFirst("spool/taken/".count).split(separator: "~", maxSplits: 3, omittingEmptySubsequences: false)
            if name.count == 4 { bound[String(name[3])] = String(name[0]) }
        case .placed where record.path.hasPrefix("spool/new/"):
            dropped[record.path.split(separator: "/").last.map(String.init) ?? ""] = record.data
        case .mark:
            let parts = record.path.split(separator: " ").map(String.init)
            switch parts.first {
            case "told" where parts.count == 2: told.insert(parts[1])
            case "begin" where parts.count == 2: states[parts[1]] = nil
            case "end" where parts.count == 3: states[parts[1]] = parts[2]
            default: break
            }
        default: break
        }
    }

    /// The ids and the token in a record's bytes, parsed once per recording.
    struct Words: Sendable {
        var ids: Set<String> = []
        var token: String?
        var isMutation = false

        init(_ record: Record) {
            guard record.kind == .sent else { return }
            let data = record.data
            data.withUnsafeBufferPointer { bytes in
                var place = 0
                while place + 36 <= bytes.count {
                    if bytes[place + 8] == 0x2D, bytes[place + 13] == 0x2D, bytes[place + 18] == 0x2D, bytes[place + 23] == 0x2D,
                        let id = UUID(uuidString: String(decoding: bytes[place..<place + 36], as: UTF8.self))
                    {
                        ids.insert(id.uuidString.lowercased())
                        place += 36
                    } else {
                        place += 1
                    }
                }
            }
            guard record.handle == 1 else { return }
            isMutation = !ids.isEmpty
            // The header is at the start; the body may be long.
            let head = String(decoding: data.prefix(8 << 10), as: UTF8.self)
            guard !head.hasPrefix("DELETE") else { return }
            if let range = head.range(of: "Bearer ", options: .caseInsensitive) {
                token = String(head[range.upperBound...].prefix { !$0.isWhitespace })
            }
        }
    }
}

struct PowerCutTape: Sendable {
    let records: [Record]
    let words: [Promises.Words]
    /// Ids that took effect at the backend, each by the last request with it.
    let taken: Set<String>
    /// Positions of syncs and name changes, around which to cut.
    let seams: [Int]

    init(_ recording: DiskLog) {
        let records = recording.records
        self.records = records
        words = records.map(Promises.Words.init)
        taken = Set(records.compactMap { $0.kind == .mark && $0.path.hasPrefix("taken ") ? String($0.path.dropFirst(6)) : nil })
        seams = records.indices.filter { [.sync, .rename, .link, .unlink, .makeFolder].contains(records[$0].kind) }
        var last: [String: Int] = [:]
        for (number, words) in words.enumerated() where words.isMutation { for id in words.ids { last[id] = number } }
        lastSend = last
    }

    private let lastSend: [String: Int]

    func mayHaveTaken(before cut: Int) -> Set<String> { taken.filter { (lastSend[$0] ?? cut) < cut } }
}
