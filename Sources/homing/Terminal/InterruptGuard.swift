import ArgumentParser
import Dispatch
import Foundation

/// While it stands, an interrupt (Ctrl-C), hang-up or request to terminate first tidies up, then ends the program with 128 + signal.
struct InterruptGuard {
    private static let signals = [SIGINT, SIGHUP, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    init(tidy: @escaping @Sendable () -> Void) {
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)  // a dispatch source sees a signal only where its default action is off
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                tidy()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// From here on signals do again what they always do.
    func lift() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
