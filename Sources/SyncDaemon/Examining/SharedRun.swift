import Synchronization

/// Runs one piece of work at a time: all who ask while it runs share its result. Cancels it once no caller waits for it.
final class SharedRun<Value: Sendable>: Sendable {
    private struct Run: Sendable {
        let number: Int
        let task: Task<Value, Never>
        var callers = 1
    }

    private struct State: Sendable {
        var last = 0
        /// Nil while nothing runs.
        var run: Run?
    }

    private let state = Mutex(State())

    /// The result of the run that is under way, or of a new one. A caller that is cancelled gets it too, if others still wait.
    func value(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let (number, task) = join(work)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(number)
        }
    }

    /// The number of callers that wait.
    var callers: Int { state.withLock { $0.run?.callers ?? 0 } }

    private func join(_ work: @escaping @Sendable () async -> Value) -> (number: Int, task: Task<Value, Never>) {
        state.withLock { state in
            if let run = state.run {
                state.run?.callers += 1
                return (run.number, run.task)
            }
            state.last += 1
            let number = state.last
            // No child task of the first caller, which may leave before the others.
            let task = Task {
                let value = await work()
                self.end(number)
                return value
            }
            state.run = Run(number: number, task: task)
            return (number, task)
        }
    }

    private func leave(_ number: Int) {
        let abandoned = state.withLock { state -> Task<Value, Never>? in
            guard let run = state.run, run.number == number else { return nil }
            state.run?.callers -= 1
            guard run.callers == 1 else { return nil }
            // The next caller must not share a cancelled run.
            state.run = nil
            return run.task
        }
        abandoned?.cancel()
    }

    private func end(_ number: Int) {
        state.withLock { state in
            guard state.run?.number == number else { return }
            state.run = nil
        }
    }
}
