import Foundation
import GRDB
import Outbox
import Salvage
import SyncDaemon
import SyncModel
import Vault

/// Opens the image of a power cut as the daemon does, and reports broken promises.
struct ImageCheck {
    let directory: String
    let promises: Promises
    /// Ids that may have taken effect at the backend.
    let taken: Set<String>

    func problems() async -> [String] {
        do {
            let vault = try StationKeys.load(environment: [:], stateDirectory: directory).vault()
            _ = try DeviceID.load(stateDirectory: directory)
            let (outbox, report) = try StoreDoctor.open(file: "\(directory)/outbox.sqlite", vault: vault, crashed: false, now: Date())
            defer { try? outbox.close() }  // `try?`: the check is done
            // A power cut never damages a store, so a salvage is a mistake.
            let mistaken = report.map { ["the store was taken for damaged: \($0.reason)"] } ?? []
            return try mistaken + store(vault) + (try await entries(outbox)) + (try await pauses(outbox)) + sessions(outbox)
                + (try await drops(outbox))
        } catch {
            return ["the state directory does not open: \(error)"]
        }
    }

    // MARK: The store itself

    private func store(_ vault: Vault) throws -> [String] {
        let queue = try DatabaseQueue(path: "\(directory)/outbox.sqlite")
        defer { try? queue.close() }  // `try?`: the check is done
        return try queue.read { db in
            var problems: [String] = []
            let said = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            if said != ["ok"] { problems.append("integrity_check says \(said.prefix(3))") }
            if try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") != nil { problems.append("a foreign key has no target") }
            let sealed = "SELECT entry.id, content.sealed FROM entry JOIN content USING (sequence) WHERE settledAt IS NULL"
            for row in try Row.fetchAll(db, sql: sealed) {
                let id: String = row["id"]
                do { _ = try vault.open(row["sealed"], as: id) } catch { problems.append("entry \(id) cannot be decrypted") }
            }
            let bare = "SELECT id FROM entry WHERE state IN ('delivered', 'discarded') AND id NOT IN (SELECT id FROM receipt)"
            for id in try String.fetchAll(db, sql: bare) { problems.append("entry \(id) was settled without a receipt") }
            return problems
        }
    }

    // MARK: What was told

    private func entries(_ outbox: Outbox) async throws -> [String] {
        var problems: [String] = []
        if try await !outbox.derivedTablesMatch() { problems.append("lanes or tallies do not match the entries") }
        for id in promises.told.sorted() {
            guard let mutation = MutationID(id) else { continue }
            guard let (record, _) = try await outbox.entry(mutation) else {
                problems.append("entry \(id) was acknowledged but is lost")
                continue
            }
            if let state = promises.states["entry.\(id)"], record.state.rawValue != state {
                problems.append("entry \(id) was reported as \(state) but is \(record.state.rawValue)")
            }
            let isKnownToBeThere = record.state == .delivered || record.uncertain || record.holdReason == .unknownOutcome
            if taken.contains(id), !isKnownToBeThere {
                problems.append("the backend has entry \(id), but here it is \(record.state.rawValue) and not recorded as uncertain")
            }
        }
        return problems
    }

    private func pauses(_ outbox: Outbox) async throws -> [String] {
        let pauses = try await outbox.pauses()
        return expected("pause").compactMap { backend, state in
            (pauses[backend] != nil) == (state == "yes") ? nil : "the reported pause of \(backend) (\(state)) differs from the store"
        }
    }

    private func expected(_ kind: String) -> [(name: String, state: String)] {
        promises.states.filter { $0.key.hasPrefix(kind + ".") }.map { (String($0.key.dropFirst(kind.count + 1)), $0.value) }
            .sorted { $0.0 < $1.0 }
    }

    // MARK: Sessions

    private struct StoredSession: Decodable {
        struct Tokens: Decodable { let access: String }
        struct Credentials: Decodable { let tokens: Tokens? }
        let state: String
        let credentials: Credentials
    }

    private func sessions(_ outbox: Outbox) throws -> [String] {
        var problems: [String] = []
        for backend in ["breathesafe", "lists-2026"] {
            let expected = promises.states["session.\(backend)"]
            let stored = try outbox.session(of: backend)
            if stored == .none {
                if expected == "signedIn" { problems.append("the session at \(backend) was acknowledged but is lost") }
                continue
            }
            guard case .record(let record) = stored,
                let session = try? JSONDecoder().decode(StoredSession.self, from: record)  // `try?`: unreadable in any way
            else {
                problems.append("the session of \(backend) cannot be read")
                continue
            }
            if let expected, expected != session.state {
                problems.append("the session at \(backend) was reported as \(expected) but is \(session.state)")
            }
            if let access = session.credentials.tokens?.access, let place = promises.tokens.firstIndex(of: access),
                place < promises.tokens.count - 1
            {
                problems.append("a token of \(backend) was used before it was stored")
            }
        }
        return problems
    }

    // MARK: The drop folder

    private func drops(_ outbox: Outbox) async throws -> [String] {
        var files: [String: (path: String, content: [UInt8])] = [:]
        let root = "\(directory)/spool"
        for path in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
            guard let name = path.split(separator: "/").last?.split(separator: "~").last,
                let content = FileManager.default.contents(atPath: "\(root)/\(path)")
            else { continue }
            files[String(name)] = (path, [UInt8](content))
        }
        var problems: [String] = []
        for (name, content) in promises.dropped.sorted(by: { $0.key < $1.key }) {
            let row = promises.bound[name].flatMap { MutationID($0) }
            var isStored = false
            if let row { isStored = try await outbox.entry(row) != nil }
            let file = files[name]
            if file == nil, !isStored { problems.append("the dropped file \(name) is lost") }
            if let file, file.content != content { problems.append("the dropped file \(name) has changed") }
            if isStored, file?.path.hasPrefix("new/") == true { problems.append("the dropped file \(name) will be stored twice") }
        }
        return problems
    }
}
