import Foundation
import Glibc
import SystemPackage

extension SpoolFolders {
    /// Begins the hidden name of a file that is being taken from another file system; a TakenName follows.
    private static let binding = ".taking~"

    /// Moves a file under `name` to `taken/`, or to `unclaimed/` where no account owns it; returns its path there. What fails leaves the file to be taken later.
    ///
    /// From another file system it is copied. Before the copy counts, the file gets a hidden name where it is that binds it to its id: wherever
    /// a crash may come, it is not stored twice.
    func take(_ candidate: Candidate, as name: TakenName) throws(Errno) -> FilePath {
        let target = (name.owner == nil ? unclaimed : taken) / name.text
        try move(candidate.path, to: target) { () throws(Errno) -> FilePath in
            guard candidate.bound == nil else { return candidate.path }
            let bound = binding(candidate, to: name)
            try calls.rename(candidate.path, bound)
            try sync([candidate.directory])
            return bound
        }
        return target
    }

    /// Where a file is once it is bound to `name`.
    func binding(_ candidate: Candidate, to name: TakenName) -> FilePath { candidate.directory / (Self.binding + name.text) }

    /// What a file of this name is bound to; nil for any other file, and for one that was bound in another folder.
    func bound(_ name: FilePath, in folder: FilePath?) -> TakenName? {
        guard let text = String(validating: name), text.hasPrefix(Self.binding),
            let taken = TakenName(String(text.dropFirst(Self.binding.count))),
            taken.folder == folder.flatMap(String.init(validating:))
        else { return nil }
        return taken
    }

    /// The longest text of a TakenName, in bytes.
    static let longestName = Int(NAME_MAX) - binding.utf8.count

    /// Renames a file; copies it where it comes from another file system, and removes it there, or else the copy.
    ///
    /// - Parameter bind: called when the copy is safe and before it counts; returns where the file is from then on.
    func move(_ path: FilePath, to target: FilePath, bind: (() throws(Errno) -> FilePath)? = nil) throws(Errno) {
        do { return try calls.rename(path, target) } catch { guard error == .improperLink else { throw error } }
        let draft = target.removingLastComponent() / Self.draft
        do throws(Errno) {
            // Before the work: what may not be removed there need not be copied.
            guard path.removingLastComponent().withPlatformString({ faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) }) == 0 else {
                throw Errno(rawValue: errno)
            }
            let before = status(of: path)
            try write(try contentToCopy(of: path), to: draft, mode: (before?.st_mode ?? 0) & 0o777 | 0o600)
            let source = try bind?() ?? path
            guard let before, let after = status(of: source), before.hasContent(of: after) else { throw Errno.resourceBusy }
            try calls.rename(draft, target)
            do throws(Errno) {
                try sync([target.removingLastComponent()])
                try calls.unlink(source)
            } catch {
                target.remove()
                throw error
            }
        } catch {
            draft.remove()
            throw error
        }
    }

    private func contentToCopy(of path: FilePath) throws(Errno) -> Data {
        do { return try content(of: path, atMost: Intake.largestDocument) } catch {
            switch error {
            case .notRegular: throw Errno.tooManySymbolicLinkLevels
            case .tooLarge: throw Errno.fileTooLarge
            case .system(let error): throw error
            }
        }
    }

    /// Writes a file durably; what fails leaves none.
    func write(_ content: Data, to path: FilePath, mode: mode_t) throws(Errno) {
        path.remove()
        let fd = path.withPlatformString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
        guard fd >= 0 else { throw Errno(rawValue: errno) }
        defer { close(fd) }
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { Glibc.write(fd, $0.baseAddress?.advanced(by: written), $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw abandoned(path) }
            written += count
        }
        guard fsync(fd) == 0 else { throw abandoned(path) }
    }

    private func abandoned(_ path: FilePath) -> Errno {
        let error = Errno(rawValue: errno)
        path.remove()
        return error
    }
}

extension stat {
    /// Whether nothing has been written between the two.
    fileprivate func hasContent(of other: stat) -> Bool {
        st_size == other.st_size && FileTime(st_mtim) == FileTime(other.st_mtim)
    }
}
