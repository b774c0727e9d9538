import Foundation
import StationSupport

/// How a daemon is started with the recorder in it (Tests/CRecorder), and what the campaign adds to its log.
struct Recorder: Sendable {
    /// The directory whose files are recorded.
    let root: String
    /// Where the records go; nil for none.
    let log: String?

    /// The library, which lies where the build puts the programs: beside them, or where this executable was copied from.
    static let library = ["\(TestStation.programs)", "\(TestStation.project)/.build/debug"].map { "\($0)/libTortureRecorder.so" }
        .first { FileManager.default.fileExists(atPath: $0) }

    static let isMissing = "libTortureRecorder.so is not beside the programs. Run: swift build --product TortureRecorder"

    /// - Parameters:
    ///   - killing: where the process is to die, as CRecorder.h says it; nil for nowhere.
    ///   - met: a file to which the place is appended once it was met.
    func environment(killing: String? = nil, met: String? = nil) throws -> [String: String] {
        guard let library = Self.library else { throw StationError(Self.isMissing) }
        var environment = ["LD_PRELOAD": library, "RECORDER_ROOT": root]
        environment["RECORDER_LOG"] = log
        environment["RECORDER_KILL"] = killing
        environment["RECORDER_MET"] = met
        return environment
    }

    /// Appends a record of the campaign's own: what has happened by now.
    func add(_ record: Record) throws {
        guard let log else { return }
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StationError("\(log) cannot be written") }
        defer { close(descriptor) }
        let bytes = record.bytes
        // One call: the daemon appends to it at the same time.
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, bytes.count) }) == bytes.count else {
            throw StationError("\(log) cannot be written")
        }
    }

    func mark(_ text: String) throws { try add(Record(.mark, text)) }

    /// Puts all that is below the root by now at the start of the log, as durable.
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
