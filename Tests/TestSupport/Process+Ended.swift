import Foundation

extension Process {
    /// Starts it, gives it `input`, and waits for its end: its exit status, and all that it printed.
    ///
    /// - Parameter errors: together with what it says on standard error.
    package func ended(input: String = "", errors: Bool = true) async throws -> (code: Int32, text: String) {
        let (output, standardInput) = (Pipe(), Pipe())
        standardOutput = output
        if errors { standardError = output }
        self.standardInput = standardInput
        let end = ProcessEnd(of: self)
        try run()
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        // On a thread of its own: reading blocks.
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
            }
        }
        return (await end.status, text)
    }
}
