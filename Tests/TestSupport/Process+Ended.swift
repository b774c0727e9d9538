import Foundation

extension Process {
    /// Apart from its only caller, since an asynchronous one must not call what may wait.
    private static func conclude(_ process: Process) { process.waitUntilExit() }

    /// The exit status, or the signal, once it has ended. Foundation's own wait turns a run loop until then, which takes much of a processor;
    /// once it is over it costs nothing, and lets go of what would keep the process, with all its pipes, for good.
    package var status: Int32 {
        get async {
            while isRunning { await pauseBriefly() }
            Self.conclude(self)
            return terminationStatus
        }
    }

    /// Starts it, gives it `input`, and waits for its end: its exit status, and all that it printed.
    ///
    /// - Parameter errors: together with what it says on standard error.
    package func ended(input: String = "", errors: Bool = true) async throws -> (code: Int32, text: String) {
        let (output, standardInput) = (Pipe(), Pipe())
        standardOutput = output
        if errors { standardError = output }
        self.standardInput = standardInput
        try run()
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        // On a thread of its own: reading blocks.
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
            }
        }
        return (await status, text)
    }
}
