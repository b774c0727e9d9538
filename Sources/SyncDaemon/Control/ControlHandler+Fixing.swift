import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Outbox
import Sessions
import SyncModel
import Vault

/// Corrections of undelivered entries.
extension ControlHandler {
    func fix(_ request: FixRequest, by caller: Caller) async throws -> SubmissionReceipt {
        let id = try await id(named: request.id)
        do { return try await replace(id, request, by: caller) } catch let error as OutboxError {
            if let problem = try await refusal(error, of: id) { throw problem }
            throw error
        }
    }

    /// The refusal in words about a correction; nil if those of the error fit.
    private func refusal(_ error: OutboxError, of id: MutationID) async throws(OutboxError) -> Problem? {
        switch error {
        case .idConflict(let newID), .replaced(let newID, _, _): return Problem.fixConflict(newID, of: id)
        case .wrongState(let old, let state) where old == id:
            if let new = try await outbox.receipt(id)?.supersededBy { return Problem.changeOfReplaced(id, by: new) }
            return state == .delivered ? Problem.fixOfDelivered(id) : nil
        default: return nil
        }
    }

    /// The refusal of a submission whose superseded entry is unknown or settled; nil if the words of the error fit.
    func refusal(_ error: IntakeError, of submission: Capture.Submission) async throws(OutboxError) -> Problem? {
        switch error {
        case .outbox(.notFound(let old)) where old == submission.supersedes: return Problem.replacesUnknown(old)
        case .outbox(.wrongState(let old, let state)) where old == submission.supersedes:
            if let new = try await outbox.receipt(old)?.supersededBy { return Problem.changeOfReplaced(old, by: new) }
            return Problem.replacesSettled(old, state)
        default: return nil
        }
    }

    private func replace(_ id: MutationID, _ request: FixRequest, by caller: Caller) async throws -> SubmissionReceipt {
        let newID = try request.newID.map { text throws(Problem) in try self.id(text) }
        let old: Entry
        do throws(OutboxError) { old = try await outbox.readable(id) } catch {
            // After the state, because another call with the same new id may have replaced the entry.
            guard case .wrongState = error, let newID, let known = try await replacement(of: id, newID, request, by: caller) else {
                throw error
            }
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
        let session = try await keeper(name).snapshot
        let advice = try await self.advice(drafts(on: submission, of: old.destination, as: session, isStrict: request.strict))
        if request.strict { try await refuse(submission, at: name, advice) }
        let accepted: Intake.Accepted
        do throws(IntakeError) {
            let options = EnqueueOptions(by: caller.peer.description, mustReplace: true)
            accepted = try await intake.accept(submission, for: account, at: name, options)
        } catch {
            switch error {
            // Their words name the field.
            case .outbox(.noSuchCreate), .outbox(.createDiscarded), .outbox(.createReplaced): break
            case .outbox(let error): throw error
            default: break
            }
            let field = backend.subjectField(route: old.route)?.field
            var problem = Problem(error, of: noun(route: old.route), field: field, commands: commands(for:))
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
        of id: MutationID, _ newID: MutationID, _ request: FixRequest, by caller: Caller
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
        // `try?`: a settled entry has no payload any more, and one that cannot be read has no digest.
        let payload = (try? await outbox.readable(newID))?.mutation.payload
        var receipt = SubmissionReceipt(
            id: newID.description, sequence: entry.sequence, duplicate: true, backend: entry.destination.backend,
            account: entry.destination.account.rawValue, lane: entry.lane.rawValue, sha256: payload.map { Vault.digest($0).hex })
        receipt.subject = try await names(for: ObserverView(caller)).report(Subject(entry))
        return receipt
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
            next: present.map { commands.change(from: $0.label, to: owner) } ?? "To sign in as \(owner), run: \(commands.login(of: owner))"
        ).stating(.ownerSignedOut) { $0.account = owner }
    }
}
