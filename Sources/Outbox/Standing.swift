import GRDB
import SyncModel

/// The facts about a row that a submission for it needs.
package struct Standing: Sendable {
    /// The list, with the row's label if it has the row; nil if the list was never read.
    package var list: (head: RosterHead, label: String?)?
    /// The entry that deletes the row.
    package var deletion: MutationID?
}

/// A question about a row. The transaction that stores the submission answers it where that costs little, because a reader of its own would
/// cost the submission four changes of thread; see `Outbox.standing`.
package struct StandingQuestion: Sendable {
    fileprivate let id: RosterID
    fileprivate let list: RosterKey?
    fileprivate let deletions: [String]
    fileprivate let destination: Destination

    /// - Parameters:
    ///   - list: the list that may have the row.
    ///   - deletions: the routes that delete such rows.
    package init(of id: RosterID, in list: RosterKey?, deletedBy deletions: [String], at destination: Destination) {
        (self.id, self.list, self.deletions, self.destination) = (id, list, deletions, destination)
    }

    fileprivate var isEmpty: Bool { list == nil && deletions.isEmpty }
}

extension Outbox {
    /// The answer to a question that the submission's transaction has left open, or that no submission asked.
    package func standing(_ question: StandingQuestion) async throws(OutboxError) -> Standing {
        if question.isEmpty { return Standing() }
        return try await read { db in
            let list = try question.list.flatMap { try label(of: question.id, in: $0, db) }
            return Standing(list: list, deletion: try Self.deletion(of: question, db))
        }
    }

    /// In the transaction of a submission. Nil if answering fails or takes long: a submission is more than its advice. Throws only if the
    /// failure has ended the transaction, as that of a disk does.
    func answerIfPossible(_ question: StandingQuestion, _ db: Database) throws -> Standing? {
        do { return try answer(question, db) } catch {
            if !db.isInsideTransaction { throw error }
            return nil
        }
    }

    /// Opens at most one page of the list, and looks at few deletions.
    private func answer(_ question: StandingQuestion, _ db: Database) throws -> Standing? {
        if question.isEmpty { return Standing() }
        var list: (head: RosterHead, label: String?)?
        if let key = question.list, let stored = try StoredRoster.fetch(key, db) {
            guard let page = rosterPlaces.page(of: question.id, in: key),
                let label = try stored.page(page, by: vault, db)?.label(of: question.id)
            else { return nil }
            list = (stored.head, label)
        }
        let waiting = try question.deletions.reduce(0) { try $0 + Self.waiting(on: $1, at: question.destination, db) }
        guard waiting <= Self.mostDeletions else { return nil }
        return Standing(list: list, deletion: waiting == 0 ? nil : try Self.deletion(of: question, db))
    }

    private static let mostDeletions = 20

    private static func deletion(of question: StandingQuestion, _ db: Database) throws -> MutationID? {
        try deletions(by: question.deletions, at: question.destination, db)[question.id]
    }

    /// The number of entries that will be sent by this route.
    private static func waiting(on route: String, at destination: Destination, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT sum(count) FROM tally WHERE backend = ? AND account = ? AND state IN ('pending', 'inflight') AND route = ?"),
            arguments: [destination.backend, destination.account, route]) ?? 0
    }

    /// Opens only the page where the row was found before, if it is still there.
    private func label(of id: RosterID, in key: RosterKey, _ db: Database) throws -> (head: RosterHead, label: String?)? {
        guard let stored = try StoredRoster.fetch(key, db) else { return nil }
        if let place = rosterPlaces.page(of: id, in: key), let label = try stored.page(place, by: vault, db)?.label(of: id) {
            return (stored.head, label)
        }
        guard let pages = try stored.pages(by: vault, db) else { return nil }
        for (index, page) in pages.enumerated() {
            guard let label = page.label(of: id) else { continue }
            rosterPlaces.note(index + 1, of: id, in: key)
            return (stored.head, label)
        }
        return (stored.head, nil)
    }
}

extension CachedPage {
    fileprivate func label(of id: RosterID) -> String? {
        var labels: [RosterID: String] = [:]
        addLabels(of: [id], to: &labels)
        return labels[id]
    }
}
