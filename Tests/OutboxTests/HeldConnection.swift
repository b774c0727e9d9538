import Dispatch

/// Holds a connection to the store inside a read or write, while the test goes on.
struct HeldConnection: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let opening = DispatchSemaphore(value: 0)

    func pass() {
        arrivals.continuation.yield()
        opening.wait()
    }

    func arrival() async { _ = await arrivals.stream.first { _ in true } }

    func open() { opening.signal() }
}
