import ControlAPI
import HTTPTypes
import NIOCore

/// Runs the tasks of a connection on its event loop, so that a small submission changes threads only for the store.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension ControlLimits {
    /// True for calls that are short enough for an event loop.
    func isSmallSubmission(_ request: HTTPRequest) -> Bool {
        let submit = Endpoints.submit
        guard request.method == .post, request.path?.prefix(while: { $0 != "?" }) == submit.path[...] else { return false }
        return request.headerFields[.contentLength].flatMap { Int($0) }.map { $0 <= smallBody } ?? false
    }
}
