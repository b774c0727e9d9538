import Foundation

extension Process {
    /// A separate function, since asynchronous code must not call a blocking one.
    private static func conclude(_ process: Process) { process.waitUntilExit() }

    /// The exit status or signal, after the end. `waitUntilExit` runs a busy run loop until then. After the end it is cheap, and releases the process
    /// and its pipes, which would leak otherwise.
    package var status: Int32 {
        get async {
            while isRunning { await pauseBriefly() }
            Self.conclude(self)
            return terminationStatus
        }
    }

    /// Sends a signal if the process still runs. Foundation's `terminate()` and `interrupt()` do not check, and after the end another process
    /// may have its id.
    package func signal(_ signal: Int32) {
        if isRunning { kill(processIdentifier, signal) }
    }

    /// Runs the process with `input`; returns its exit status and output.
    ///
    /// - Parameter errors: include standard error.
    package func ended(input: String = "", errors: Bool = true) async throws -> (code: Int32, text: String) {
        let (output, standardInput) = (Pipe(), Pipe())
        standardOutput = output
        if errors { standardError = output }
        self.standardInput = standardInput
        try run()
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let text = await output.fileHandleForReading.text()
        return (await status, text)
    }
}
