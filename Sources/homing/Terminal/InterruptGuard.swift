import ArgumentParser
import Dispatch
import Foundation

/// SIGINT, SIGHUP and SIGTERM call `tidy` and then end the program with 128 + signal.
struct InterruptGuard {
    private static let signals = [SIGINT, SIGHUP, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    init(tidy: @escaping @Sendable () -> Void) {
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)  // a dispatch source needs the default action disabled
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                tidy()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Restores the default signal actions.
    func lift() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
