import ArgumentParser
import Foundation
import Glibc
import SyncDaemon

struct CommonOptions: ParsableArguments {
    @Option(
        help: "The configuration file. Default: /etc/homing/homing.yaml for root, else ~/.config/homing/homing.yaml.",
        completion: .file(extensions: ["yaml"]))
    var config: String?

    /// The environment of the process. Switches root to the service's user if that owns the state directory, so that new files are its own.
    func environmentOfOwner() throws -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        guard geteuid() == 0, ServiceIdentity.exists else { return environment }
        let state = try ConfigurationCheck.configuration(file: config, environment: environment).stateDirectory
        return try ServiceIdentity.owns(state) ? ServiceIdentity.assume(in: environment) : environment
    }
}

/// Writes the message of an error to standard error, and exits with 1.
func reportingErrors(_ work: () async throws -> Void) async throws {
    do { try await work() } catch {
        FileHandle.standardError.write(Data("homingd: \(StartError.sentence(for: error))\n".utf8))
        throw ExitCode.failure
    }
}

extension FileHandle {
    static func opened(_ path: String) throws -> FileHandle {
        // A FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StartError("‘\(path)’ cannot be opened: \(String(cString: strerror(errno))). Name a file that you may read.")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw StartError("‘\(path)’ is not a regular file. Name a file, or use ‘-’ for standard input where the command reads it.")
        }
        return handle
    }
}

extension Data {
    /// The content of a file with a key, which the command `age` may write to standard input.
    init(ofKeyAt path: String) throws {
        self = try (path == "-" ? FileHandle.standardInput : FileHandle.opened(path)).readToEnd() ?? Data()
    }
}
