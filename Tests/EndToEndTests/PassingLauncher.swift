import Foundation
import Glibc
import StationSupport

/// Starts a program with a passed socket, like a service manager (sd_listen_fds(3)). `Process` cannot pass descriptors.
struct PassingLauncher {
    let pid: pid_t
    private let errors: Int32

    init(_ program: String, _ arguments: [String], passing descriptor: Int32) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw StationError("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // First, because the write end of the pipe may itself be descriptor 3.
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
        // Only the shell knows its PID.
        let script = #"LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=control exec "$0" "$@""#
        var words = (["/bin/sh", "-c", script, program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/bin/sh", &actions, nil, words, environ)
        close(ends[1])
        guard code == 0 else { throw StationError("\(program): \(String(cString: strerror(code)))") }
        self.pid = pid
        errors = ends[0]
    }

    /// Returns the exit status, or the negative signal number, and the standard error.
    func end() async -> (code: Int32, said: String) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let said = FileHandle(fileDescriptor: errors, closeOnDealloc: true).readDataToEndOfFile()
                var status: Int32 = 0
                waitpid(pid, &status, 0)
                let code = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
                continuation.resume(returning: (code, String(decoding: said, as: UTF8.self)))
            }
        }
    }
}
