@preconcurrency import Dispatch
import Files
import Foundation
import Glibc
import Synchronization
import SystemPackage

/// Reports folder activity (inotify). An event is only a hint to sweep.
final class FolderWatch: Sendable {
    /// Yields files closed after writing or moved in; may be empty.
    let changes: AsyncStream<Set<FilePath>>

    private let fd: Int32
    /// Why inotify is unavailable, e.g. max_user_instances (inotify(7)); nil if it works.
    private let refusal: FileError?
    private let source: (any DispatchSourceRead)?
    private let watched = Watched()

    init(_ calls: Folder.Calls) {
        let (stream, continuation) = AsyncStream.makeStream(of: Set<FilePath>.self)
        changes = stream
        do throws(FileError) {
            try calls.check(.beginWatching, "")
            (fd, refusal) = (try FileError.check(inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)), "", .watch), nil)
        } catch {
            (fd, refusal, source) = (-1, error, nil)
            continuation.finish()
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: fd, queue: DispatchQueue(label: "spool"))
        source.setEventHandler { [fd, watched] in continuation.yield(Self.read(fd, watched)) }
        source.setCancelHandler { [fd] in
            continuation.finish()
            close(fd)
        }
        source.resume()
        self.source = source
    }

    deinit { source?.cancel() }

    /// Idempotent.
    func add(_ folder: Folder) throws(FileError) {
        if let refusal { throw FileError(refusal.code, folder.path, .watch) }
        watched.set(folder.path, try folder.watch(by: fd, IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR))
    }

    private static func read(_ fd: Int32, _ watched: Watched) -> Set<FilePath> {
        var whole: Set<FilePath> = []
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            while true {
                let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset < count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    if event.len > 0, event.mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0, let directory = watched.path(event.wd),
                        let name = buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                    {
                        whole.insert(directory / FilePath(platformString: name))
                    }
                    offset = start + Int(event.len)
                }
            }
        }
        return whole
    }

    private final class Watched: Sendable {
        private let paths = Mutex<[Int32: FilePath]>([:])
        func set(_ path: FilePath, _ descriptor: Int32) { paths.withLock { $0[descriptor] = path } }
        func path(_ descriptor: Int32) -> FilePath? { paths.withLock { $0[descriptor] } }
    }
}
