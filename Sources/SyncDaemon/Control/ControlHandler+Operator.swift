import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

/// The calls of people about single entries.
extension ControlHandler {
    func resolve(_ request: ResolveRequest, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        let entry = try await found(id)
        if let remoteID = request.remoteID {
            try check(remoteID, of: entry)
            try await checkListed(RosterID(remoteID), createdBy: entry, for: ObserverView(caller))
        }
        // The delivery destroys it.
        let content = request.delivered ? try await outbox.contents(of: [id], { $0 })[id] : nil
        try await namingSuccessor(of: id) { () async throws(OutboxError) in
            try await outbox.resolve(
                id, as: request.delivered ? .delivered(remoteID: request.remoteID) : .notDelivered, by: caller.peer.description,
                named: UserName(caller.peer.uid).short, at: clock.now)
        }
        if let content { rosters.keepChange(of: content) }
        if request.delivered { rosters.delivered(entry.mutation) }
        return try await summary(of: id, for: caller)
    }

    /// References are bound to the created row's id, so a wrong one would stop them for good.
    private func check(_ remoteID: String, of entry: Entry) throws(Problem) {
        let isPlain = remoteID.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }
        guard isPlain, remoteID.utf8.count <= Self.longestRemoteID, !remoteID.hasPrefix("@") else {
            throw Problem.invalid(
                "‘\(remoteID.legible)’ is not an id of a server. Nothing was changed.",
                next: "Give the id that the server shows, for example: homing resolve \(entry.id) --delivered 17"
            ).stating(.notAServerID) { $0.words = remoteID.legible }
        }
        let backend = keepers[entry.destination.backend]?.backend
        guard let name = entry.mutation.creates, let backend, let resource = backend.resource(name),
            Int64(remoteID).map({ $0 > 0 ? String($0) : "" }) != remoteID,
            backend.hasNumbers(resource)
        else { return }
        throw Problem.invalid(
            "‘\(remoteID.legible)’ is not a number above 0, but the ids of \(resource.title.many) at \(backend.name) are. Nothing was changed.",
            next:
                "To find the id, run: \(commands(for: backend.name).roster(name, resource.title.many, "--refresh"))\nThen run: homing resolve \(entry.id) --delivered ID"
        ).stating(.idIsNoNumber) { ($0.words, $0.title) = (remoteID.legible, RosterTitle(resource.title)) }
    }

    /// In bytes.
    private static let longestRemoteID = 100

    /// Requires a list that was read after the send: only that shows an older or missing row.
    private func checkListed(_ id: RosterID, createdBy entry: Entry, for view: ObserverView) async throws {
        guard entry.mayHaveTakenEffect, let name = entry.mutation.creates,
            let resource = keepers[entry.destination.backend]?.backend.resource(name)
        else { return }
        let key = RosterKey(destination: entry.destination, resource: name)
        let (title, resolve) = (resource.title, "homing resolve \(entry.id)")
        let refresh = commands(for: key.destination.backend).roster(name, title.many, "--refresh")
        let isShown = await names(for: view).isShown(entry.destination)
        func values(_ facts: inout SentenceFacts) { (facts.words, facts.title) = (id.rawValue, RosterTitle(title)) }
        switch try await CreatedCandidates.judge(id, createdBy: entry, among: resource, in: key, outbox) {
        case .possible: return
        case .older(let row):
            let label = isShown && row.label != id.rawValue ? "is \(row.label) and " : ""
            throw Problem.invalid(
                "\(id) \(label)was there before entry \(entry.id) was sent, so it is not the new \(title.one). Nothing was changed.",
                next: "To find the new \(title.one), run: \(refresh)\nThen run: \(resolve) --delivered ID"
            ).stating(.rowIsOlder, values)
        case .unread:
            throw Problem.invalid(
                "Homing has not read the complete list of \(title.many) since entry \(entry.id) was sent, so it cannot check \(id). Nothing was changed.",
                next: "Run: \(refresh)\nThen repeat: \(resolve) --delivered \(id)"
            ).stating(.listUnread, values)
        case .absent:
            var rows: [String] = []
            if case .newest(let found) = try await CreatedCandidates.find(of: entry, among: resource, in: key, outbox) {
                rows = found.map { isShown ? $0.text : $0.id.rawValue }
            }
            let choice =
                rows.isEmpty
                ? "It has none that could be the new one. To send the entry again, run: \(resolve) --not-delivered"
                : "No other entry created \(rows.inWords). If the new \(title.one) is there, run: \(resolve) --delivered ID"
            throw Problem.invalid(
                "The list of \(title.many) was read after entry \(entry.id) was sent, and no row that may be the new one has the id \(id). Nothing was changed.",
                next: "\(choice)\nTo read the list again, run: \(refresh)"
            ).stating(.rowNotNew, values)
        }
    }

    func discard(_ request: DiscardRequest, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        let (now, actor, name) = (clock.now, caller.peer.description, UserName(caller.peer.uid).short)
        try await namingSuccessor(of: id) { () async throws(OutboxError) in
            if request.grace > 0 {
                let end = now.addingTimeInterval(TimeInterval(request.grace))
                try await outbox.discard(id, later: end, reason: request.reason, by: actor, named: name, at: now)
            } else {
                try await outbox.discard(id, reason: request.reason, by: actor, named: name, at: now)
            }
        }
        return try await summary(of: id, for: caller)
    }

    func restore(_ request: EntryReference, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        do {
            try await namingSuccessor(of: id) { () async throws(OutboxError) in
                try await outbox.restore(id, by: caller.peer.description, at: clock.now)
            }
        } catch OutboxError.wrongState(_, let state) {
            throw Problem.notRestorable(id, state)
        }
        return try await summary(of: id, for: caller)
    }

    func export(_ request: EntryReference, by caller: Caller) async throws -> ExportedEntry {
        let id = try await id(named: request.id)
        let entry = try await outbox.export(id, by: caller.peer.description, at: clock.now)
        let payload = entry.mutation.payload.map { String(validating: $0, as: UTF8.self) }
        if case .some(.none) = payload { throw OutboxError.unreadable(id) }
        return ExportedEntry(
            entry: summary(entry, try await names(for: ObserverView(caller)).report(Subject(entry))),
            fields: entry.mutation.fields.mapValues { $0.text ?? String(decoding: $0.serialized, as: UTF8.self) },
            payload: payload ?? nil)
    }
}
