import Foundation
import StationSupport

/// Starts a daemon with the recorder (Tests/CRecorder) and adds the campaign's records to its log.
struct Recorder: Sendable {
    let root: String
    let log: String?

    /// The library, next to the test programs or in the project's build folder.
    static let library = ["\(TestStation.programs)", "\(TestStation.project)/.build/debug"].map { "\($0)/libTortureRecorder.so" }
        .first { FileManager.default.fileExists(atPath: $0) }

    static let isMissing = "libTortureRecorder.so is not in the folder of the programs. Run: make build"

    /// - Parameters:
    ///   - killing: the steps for RECORDER_KILL (CRecorder.h).
    ///   - met: the file for RECORDER_MET.
    func environment(killing: String? = nil, met: String? = nil) throws -> [String: String] {
        guard let library = Self.library else { throw StationError(Self.isMissing) }
        var environment = ["LD_PRELOAD": library, "RECORDER_ROOT": root]
        environment["RECORDER_LOG"] = log
        environment["RECORDER_KILL"] = killing
        environment["RECORDER_MET"] = met
        return environment
    }

    func add(_ record: Record) throws {
        guard let log else { return }
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StationError("cannot write to \(log)") }
        defer { close(descriptor) }
        let bytes = record.bytes
        // One call, since the daemon appends at the same time.
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, bytes.count) }) == bytes.count else {
            throw StationError("cannot write to \(log)")
        }
    }

    func mark(_ text: String) throws { try add(Record(.mark, text)) }

    /// Starts the log with all present files as durable.
    func begin() throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder) else { continue }
            let content =
                isFolder.boolValue || Disk.saysNothing(path) ? Data() : try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
            try add(Record(isFolder.boolValue ? .placedFolder : .placed, path, data: [UInt8](content)))
        }
    }
}
