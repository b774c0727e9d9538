import Foundation
import Sandbox

/// The file from which scripts read where the sandbox answers.
enum PortFile {
    /// Writes both URLs, so that a reader sees all of the file or none.
    static func write(_ sandbox: Sandbox, to path: String) throws {
        let text = "backend=\(sandbox.baseURL)\ncontrol=\(sandbox.controlURL)\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
