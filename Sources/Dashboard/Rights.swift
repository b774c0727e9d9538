import ControlAPI
import Synchronization

/// The actions that the daemon has refused to the person so far, so that pages no longer offer their buttons. It cannot be asked without an
/// entry in its log.
final class Rights: Sendable {
    private let refused = Mutex<Access?>(nil)

    /// - Parameters:
    ///   - path: of the page or button that was refused.
    ///   - isButton: false for a page.
    func refuse(_ path: [String], isButton: Bool) {
        // A file may be discarded by its owner.
        guard path.first != "file", isButton || ["people", "face", "faces", "discard"].contains(path.last) else { return }
        // Files on hold are claimed by administrators alone.
        let access: Access = ["claim", "discard", "restore", "face", "faces"].contains(path.last) ? .administer : .operate
        refused.withLock { $0 = min($0 ?? access, access) }
    }

    /// The highest role that was not refused.
    var access: Access {
        switch refused.withLock({ $0 }) {
        case nil: .administer
        case .administer: .operate
        case .operate, .observe: .observe
        }
    }
}
