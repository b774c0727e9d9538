import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Outbox
import Roster
import Sessions
import SyncModel

/// What people do about single entries.
extension ControlHandler {
    func fix(_ request: FixRequest, by caller: Caller) async throws -> SubmissionReceipt {
        let id = try await id(named: request.id)
        let newID = try request.newID.map { text throws(Problem) in try self.id(text) }
        let old: Entry
        do throws(OutboxError) { old = try await outbox.readable(id) } catch {
            // After the state, because another call with the same new id may have replaced the entry.
            guard case .wrongState = error, let newID, let known = try await replacement(of: id, newID, request) else { throw error }
            return known
        }
        let name = old.destination.backend
        let backend = try keeper(name).backend
        let account = try await owner(of: old)
        let fields = old.mutation.fields.merging(backend.fields(request.fields, route: old.route)) { $1 }
        guard fields != old.mutation.fields else {
            throw Problem.invalid("Entry \(id) has these values already.", next: "To send it again, run: homing retry \(id)")
                .stating(.sameValues)
        }
        try await checkRow(of: old, fields, at: backend)
        let submission = Capture.Submission(
            route: old.route, id: newID, fields: fields, payload: old.mutation.payload, supersedes: id,
            capturedAt: old.mutation.capturedAt)
        let advice = try await self.advice(draft(on: submission, of: old.destination, as: keeper(name).snapshot))
        if request.strict { try await refuse(submission, at: name, advice) }
        let accepted: Intake.Accepted
        do throws(IntakeError) {
            accepted = try await intake.accept(submission, for: account, at: name, by: caller.peer.description, mustReplace: true)
        } catch {
            var problem = Problem(error, commands: commands(for:))
            // The profile's error describes the mistake, but not the next step.
            problem.next = problem.next ?? "Nothing was changed. To see the entry and its fields, run: homing show \(id)"
            throw problem
        }
        return receipt(of: accepted, submission.payload, advice, isStrict: request.strict)
    }

    /// Throws if the entry holds the values of a new row, and the fields name another row.
    private func checkRow(of entry: Entry, _ fields: [String: JSONValue], at backend: Backend) async throws {
        guard let resource = backend.subjectField(route: entry.route)?.resource,
            let row = backend.subject(route: entry.route, fields: fields), row != entry.mutation.subject,
            let create = try await self.create(followedBy: entry)
        else { return }
        let edit = commands(for: backend.name).roster(resource.name, resource.title.many, "edit ID")
        throw Problem.belongsToNewRow(entry.id, create: create, resource.title, edit: edit)
    }

    /// The receipt of an earlier call with the same new id. Throws `idConflict` if that gave the entry other fields.
    private func replacement(
        of id: MutationID, _ newID: MutationID, _ request: FixRequest
    ) async throws(OutboxError) -> SubmissionReceipt? {
        guard try await outbox.receipt(id)?.supersededBy == newID, let context = try await outbox.context(of: newID) else { return nil }
        let entry = context.entry
        if let backend = keepers[entry.destination.backend]?.backend {
            let fields = backend.fields(request.fields, route: entry.route)
            let subject = backend.subject(route: entry.route, fields: fields) ?? entry.mutation.subject
            // A settled entry keeps only the subject of its fields.
            let areSame = context.fields.isEmpty || fields.allSatisfy { name, value in context.fields[name] == value }
            guard subject == entry.mutation.subject, areSame else { throw .idConflict(newID) }
        }
        return SubmissionReceipt(
            id: newID.description, sequence: entry.sequence, duplicate: true, backend: entry.destination.backend,
            account: entry.destination.account.rawValue, lane: entry.lane.rawValue)
    }

    /// The entry's account, which must be signed in: a replacement belongs to it too.
    private func owner(of entry: Entry) async throws -> Account {
        let backend = entry.destination.backend
        // `try?`: nil means that no account is signed in.
        let present = try? await intake.account(at: backend).account
        if let present, present.id == entry.destination.account { return present }
        let owner = try await outbox.accountLabels()[entry.destination] ?? "account \(entry.destination.account)"
        let commands = commands(for: backend)
        throw Problem(
            .signInRequired, status: 409, title: "Not signed in",
            detail: "Entry \(entry.id) belongs to \(owner), who is not signed in at \(backend). Nothing was changed.",
            next: present.map { commands.change(from: $0.label, to: owner) } ?? "\(owner) signs in with ‘\(commands.login(of: owner))’."
        ).stating(.ownerSignedOut) { $0.account = owner }
    }

    func resolve(_ request: ResolveRequest, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        let entry = try await found(id)
        if let remoteID = request.remoteID {
            try check(remoteID, of: entry)
            try await checkListed(RosterID(remoteID), createdBy: entry, for: ObserverView(caller))
        }
        // The delivery destroys it.
        let content = request.delivered ? try await outbox.contents(of: [id], { $0 })[id] : nil
        try await outbox.resolve(
            id, as: request.delivered ? .delivered(remoteID: request.remoteID) : .notDelivered, by: caller.peer.description,
            named: UserName(caller.peer.uid).short, at: clock.now)
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
        if request.grace > 0 {
            try await outbox.discard(
                id, later: now.addingTimeInterval(TimeInterval(request.grace)), reason: request.reason, by: actor, named: name, at: now)
        } else {
            try await outbox.discard(id, reason: request.reason, by: actor, named: name, at: now)
        }
        return try await summary(of: id, for: caller)
    }

    func restore(_ request: EntryReference, by caller: Caller) async throws -> EntrySummary {
        let id = try await id(named: request.id)
        do throws(OutboxError) {
            try await outbox.restore(id, by: caller.peer.description, at: clock.now)
        } catch {
            guard case .wrongState(_, let state) = error else { throw error }
            if let newID = try await outbox.receipt(id)?.supersededBy, let new = try await outbox.entry(newID)?.entry {
                throw Problem.corrected(id, as: new)
            }
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
