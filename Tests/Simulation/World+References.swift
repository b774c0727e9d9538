import Backends
import Foundation
import Outbox
import SyncModel
import TestSupport

/// I12: an entry that refers to a row is sent after the create of that row, and names the id in its receipt.
extension World {
    /// Of one entry, as intake makes it from a submission.
    struct Draft {
        var id: MutationID
        /// The one that the outbox should choose.
        let lane: Lane
        var createsRow = false
        /// The create of the row that it refers to.
        var row: MutationID?
        /// A reference, or the backend's id of the row.
        var subject: RosterID?
        /// Waits for the create.
        var needsCreate = false

        var fields: [String: JSONValue] { subject.map { ["row": .string($0.rawValue)] } ?? [:] }
        /// As the outbox has it. A reference that nothing waits for is a negative control.
        var storedSubject: RosterID? { needsCreate || subject?.reference == nil ? subject : nil }
        /// By the submitted name of the row.
        var submittedLane: Lane { storedSubject.map(Model.lane(of:)) ?? lane }

        func subjectLanes(after: Lane?) -> SubjectLanes? {
            storedSubject.map { _ in SubjectLanes(lane: Model.lane(of: "PLACEHOLDER"), after: after, placeholder: "PLACEHOLDER") }
        }
    }

    private var keepsReferences: Bool { sabotage != .forgetsReferences }

    /// - Parameter lane: of entries that refer to no row.
    func drafts(_ count: Int, _ link: Link?, lane: Lane, at destination: Destination) async throws -> [Draft] {
        let ids = (0..<count).map { _ in Samples.id(number()) }
        guard let link, let first = ids.first else { return ids.map { Draft(id: $0, lane: lane) } }
        var drafts: [Draft] = []
        if let number = link.row, let row = model.references.create(number, at: destination) {
            let draft = try await draft(first, row, isByID: link.isByID, at: destination)
            drafts = (link.creates ? [first] : ids).map { id in
                var copy = draft
                copy.id = id
                return copy
            }
        } else if link.creates {
            drafts = [Draft(id: first, lane: lane)]
        } else {
            return ids.map { Draft(id: $0, lane: lane) }
        }
        guard link.creates else { return drafts }
        drafts[0].createsRow = true
        let new = RosterID(createdBy: first)
        return drafts
            + ids.dropFirst().map { Draft(id: $0, lane: Model.lane(of: new), row: first, subject: new, needsCreate: keepsReferences) }
    }

    /// Entries that were accepted by the reference and those accepted by the backend's id share a lane while it is occupied.
    private func draft(_ id: MutationID, _ row: MutationID, isByID: Bool, at destination: Destination) async throws -> Draft {
        let reference = RosterID(createdBy: row)
        let lane = Model.lane(of: reference)
        if sabotage == .bindsEarly, model.state(of: row) != .delivered, let effect = ledger.effects[row] {
            let early = RosterID(effect.id)
            return Draft(id: id, lane: Model.lane(of: early), row: row, subject: early)
        }
        guard let known = try await binding(of: row, at: destination) else {
            return Draft(id: id, lane: lane, row: row, subject: reference, needsCreate: keepsReferences)
        }
        return Draft(
            id: id, lane: model.isOccupied(lane, at: destination) ? lane : Model.lane(of: known), row: row,
            subject: isByID ? known : reference, needsCreate: !isByID && keepsReferences)
    }

    /// The corrected form of an entry.
    ///
    /// - Parameter number: of the create of another row, as in `Link`; nil to keep the row.
    func correction(of old: Model.Item, _ number: Int?, isByID: Bool) async throws -> Draft {
        let id = Samples.id(self.number())
        let other = number.flatMap { model.references.create($0, at: old.destination) }
        var corrected = Draft(id: id, lane: old.lane)
        // An entry cannot refer to the row that it creates.
        if let row = other == old.id ? old.row : other ?? old.row {
            corrected = try await draft(id, row, isByID: isByID, at: old.destination)
        }
        corrected.createsRow = old.createsRow
        return corrected
    }

    /// The id in the receipt of the create; nil before it is delivered.
    private func binding(of row: MutationID, at destination: Destination) async throws -> RosterID? {
        let (told, expected) = (try await outbox.bindings(of: [row])[row], model.binding(of: row))
        guard told == expected else {
            throw Violation("I12", "row \(row) is \(String(describing: told)), and should be \(String(describing: expected))")
        }
        guard let id = told else { return nil }
        let maker = try await outbox.reference(to: id, of: Wire.resource, at: destination)
        guard maker == row else { throw Violation("I12", "row \(id) was made by \(row), and not by \(maker?.description ?? "nobody")") }
        return id
    }

    // MARK: Sending

    /// The claim decides the order, also for an entry that is sent later.
    func checkClaim(_ entry: Entry) throws {
        guard let item = model.items[entry.sequence], let row = item.row else {
            if let bound = entry.bound { throw Violation("I12", "entry \(entry.sequence) refers to no row, and is bound to \(bound)") }
            return
        }
        guard let id = model.references.rows[row] else {
            throw Violation("I12", "entry \(entry.sequence) is claimed before \(row), which creates its row, is delivered")
        }
        if item.needsCreate, entry.bound != id {
            throw Violation("I12", "entry \(entry.sequence) is bound to \(entry.bound?.description ?? "nothing"), and its row is \(id)")
        }
    }

    /// The mutation that the courier sends.
    func addressed(_ entry: Entry) throws -> Mutation {
        guard let bound = entry.bound, let backend = profiles[entry.destination.backend] else { return entry.mutation }
        let id = sabotage == .guessesIDs ? RosterID("\(bound)0") : bound
        do throws(Failure) { return try backend.bound(entry.mutation, to: id) } catch {
            throw Violation("I12", "entry \(entry.sequence) cannot be bound to \(id): \(error.message)")
        }
    }

    /// The backend knows the row that a request names.
    func checkRow(_ attempt: Try) throws {
        guard let item = model.items[attempt.entry.sequence], let row = item.row, let backend = profiles[attempt.backend] else { return }
        let request: OutboundRequest
        do throws(Failure) { request = try backend.request(for: attempt.mutation) } catch {
            throw Violation("I12", "entry \(item.sequence) cannot become a request: \(error.message)")
        }
        let names = [try Wire.row(in: request)?.rawValue, model.references.rows[row]?.rawValue, ledger.effects[row]?.id]
        guard let named = names[0], names == [named, named, named] else {
            let names = names.map { $0 ?? "nothing" }
            throw Violation(
                "I12", "entry \(item.sequence) names \(names[0]); the receipt of \(row) says \(names[1]), and the backend \(names[2])")
        }
        met("referenceSent")
    }

    // MARK: The store

    /// Compares what the outbox says about creates and what refers to them.
    func checkReferences() async throws {
        let creates = model.open.filter(\.createsRow).sorted { $0.sequence < $1.sequence }
        for (destination, expected) in Dictionary(grouping: creates, by: \.destination) {
            let found = try await outbox.creates(of: Wire.resource, at: destination, limit: Self.many).map(\.sequence)
            guard found == expected.map(\.sequence) else {
                throw Violation("I12", "the creates at \(destination) are \(expected.map(\.sequence)), and the outbox says \(found)")
            }
        }
        for create in creates {
            let (found, expected) = (
                try await undelivered(for: RosterID(createdBy: create.id)), model.dependents(of: create.id)
            )
            guard found == expected else {
                throw Violation("I12", "entries \(expected) refer to entry \(create.sequence), and the outbox says \(found)")
            }
        }
    }

    /// The sequences of entries that refer to a row.
    private func undelivered(for row: RosterID) async throws -> [Int64] {
        let found = try await outbox.page(of: EntryFilter(subject: row), after: 0, limit: Self.many).entries
        return found.filter { $0.state != .delivered && $0.state != .discarded }.map(\.sequence)
    }

    private static let many = 10_000
}
