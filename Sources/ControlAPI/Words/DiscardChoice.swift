/// The entries that ‘discard’ discards, and those that this puts on hold.
package struct DiscardChoice {
    /// Creating entries first: an entry must not be sent without its row, and the row would have no name without that entry.
    package private(set) var chosen: [EntrySummary]
    /// Entries accepted together with chosen creating ones, and discarded after them.
    package private(set) var followers: [EntrySummary] = []
    /// Other undelivered entries for rows that are then not created.
    package private(set) var stranded: [EntrySummary] = []

    /// `takesDiscarded` includes entries that are already being discarded. `dependents` are all entries that refer to the row of one.
    package init(
        _ entries: [EntrySummary], takesDiscarded: Bool, dependents: (EntrySummary) async throws(Problem) -> [EntrySummary]
    ) async throws(Problem) {
        chosen = entries.filter { $0.newRow != nil } + entries.filter { $0.newRow == nil }
        let named = Set(chosen.map(\.id))
        var creates = chosen.filter { $0.newRow != nil }
        // A row of a row, and so on.
        while !creates.isEmpty {
            let create = creates.removeFirst()
            for entry in try await dependents(create) where entry.isUndelivered && !named.contains(entry.id) {
                if entry.isBeingDiscarded && !(takesDiscarded && entry.id == create.then) { continue }
                if named.contains(create.id), entry.id == create.then {
                    followers.append(entry)
                } else {
                    stranded.append(entry)
                }
                if entry.newRow != nil { creates.append(entry) }
            }
        }
    }

    package var all: [EntrySummary] { chosen + followers }

    /// The followers of those that were discarded.
    package func followers(of done: [EntrySummary]) -> [EntrySummary] {
        let ids = Set(done.map(\.id))
        return followers.filter { follower in chosen.contains { ids.contains($0.id) && $0.then == follower.id } }
    }

    /// The stranded entries whose rows were discarded.
    package func stranded(by done: [EntrySummary]) -> [EntrySummary] {
        var gone = Set(done.map(\.id))
        return stranded.filter { entry in
            guard let create = entry.needs, gone.contains(create) else { return false }
            gone.insert(entry.id)
            return true
        }
    }

    /// The discarded entries with their names from before: Homing destroys a new row's name with the payload.
    package func named(_ done: [EntrySummary]) -> [EntrySummary] {
        let subjects = Dictionary(all.map { ($0.id, $0.subject) }) { first, _ in first }
        return done.map { entry in
            var entry = entry
            entry.subject = subjects[entry.id] ?? entry.subject
            return entry
        }
    }
}

extension EntrySummary {
    /// The entry that was discarded with this one, and can be restored with it.
    package func discardedFollower(_ fetch: (String) async throws(Problem) -> EntrySummary) async throws(Problem) -> EntrySummary? {
        guard let then else { return nil }
        do throws(Problem) {
            let follower = try await fetch(then)
            return follower.isBeingDiscarded ? follower : nil
        } catch {
            // Without a payload there is no second entry.
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
