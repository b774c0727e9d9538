import Foundation

/// Unbuffered output, also into a pipe.
enum StandardOutput {
    static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
    static func errorLine(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
