import Capture
import ServiceLifecycle

/// Watches the drop folder until shutdown.
struct SpoolService: Service {
    let spool: Spool

    func run() async {
        await cancelWhenGracefulShutdown { await spool.run() }
    }
}
