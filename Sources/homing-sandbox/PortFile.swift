import Foundation
import Sandbox

/// The file that tells scripts the URLs of the sandbox.
enum PortFile {
    /// Writes both URLs atomically.
    static func write(_ sandbox: Sandbox, to path: String) throws {
        let text = "backend=\(sandbox.baseURL)\ncontrol=\(sandbox.controlURL)\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
