import Synchronization

/// A memory budget: tasks wait in order until there is room.
package final class ByteBudget: Sendable {
    private struct Waiter {
        let id: Int
        let bytes: Int
        let owner: UInt32?
        let turn: CheckedContinuation<Bool, Never>
    }
    private struct State {
        var taken = 0
        var takenByOwner: [UInt32: Int] = [:]
        /// In order of arrival.
        var waiting: [Waiter] = []
        var lastID = 0
    }

    private let limit: Int
    private let limitOfOwner: Int
    private let state = Mutex(State())

    /// Both in bytes. A request above `limit` is granted when nothing else is taken.
    package init(_ limit: Int, ofOwner limitOfOwner: Int = .max) {
        self.limit = limit
        self.limitOfOwner = limitOfOwner
    }

    /// Waits for room; the caller must `release` the bytes.
    package func take(_ bytes: Int) async {
        let isTaken = state.withLock { state in
            guard state.waiting.isEmpty, state.taken == 0 || state.taken + bytes <= limit else { return false }
            state.taken += bytes
            return true
        }
        if !isTaken { _ = await turn(bytes, nil, id: nextID()) }
    }

    /// Takes `bytes`; false after `patience` or on cancellation. A task that waits for its own owner's budget does not block other owners.
    package func take(_ bytes: Int, of owner: UInt32, within patience: Duration) async -> Bool {
        let id = nextID()
        return await withTaskGroup(of: Bool?.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await self.turn(bytes, owner, id: id)
                } onCancel: {
                    self.giveUp(id)
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)  // `try?`: cancelled, the other task has finished
                return nil
            }
            for await isGranted in group {
                group.cancelAll()
                if let isGranted { return isGranted }
            }
            return false
        }
    }

    package func release(_ bytes: Int, of owner: UInt32? = nil) {
        change { state in
            state.taken -= bytes
            guard let owner else { return }
            state.takenByOwner[owner, default: 0] -= bytes
            if state.takenByOwner[owner] == 0 { state.takenByOwner[owner] = nil }
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func turn(_ bytes: Int, _ owner: UInt32?, id: Int) async -> Bool {
        await withCheckedContinuation { turn in
            change { $0.waiting.append(Waiter(id: id, bytes: bytes, owner: owner, turn: turn)) }
            // A cancellation before the append found no waiter to remove.
            if owner != nil, Task.isCancelled { giveUp(id) }
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.turn.resume(returning: false)
        // Waiters behind it may fit now.
        change { _ in }
    }

    private func change(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            var admitted: [Waiter] = []
            var index = 0
            while index < state.waiting.count {
                let waiter = state.waiting[index]
                let ofOwner = waiter.owner.flatMap { state.takenByOwner[$0] } ?? 0
                if ofOwner > 0, ofOwner + waiter.bytes > limitOfOwner {
                    index += 1
                    continue
                }
                guard state.taken == 0 || state.taken + waiter.bytes <= limit else { break }
                state.taken += waiter.bytes
                if let owner = waiter.owner { state.takenByOwner[owner, default: 0] += waiter.bytes }
                admitted.append(state.waiting.remove(at: index))
            }
            return admitted
        }
        for waiter in admitted { waiter.turn.resume(returning: true) }
    }
}
