import Files
import Foundation
import Glibc
import SyncModel
import SystemPackage

extension SpoolFolders {
    /// A hidden name during a copy from another file system; a TakenName follows.
    private static let binding = ".taking~"

    /// Moves a file to `taken/`, or to `unclaimed/` without an owner. From another file system it is copied; a hidden name first binds the
    /// original to its id, so that a crash cannot store it twice (NamesInTaken).
    func take(_ candidate: Candidate, as name: TakenName) throws(StuckFile.Cause) -> FilePath {
        let target = (name.owner == nil ? unclaimed : taken) / name.text
        let (folder, source): (Folder, FilePath)
        let file: OpenFile
        do throws(FileError) {
            (folder, source) = try place(of: candidate.path)
            file = try folder.hold(source)
        } catch { throw .system(error.code) }
        // Swapped for another file, which the next sweep handles.
        guard file.status.isPlain, candidate.isSame(as: file.status) else { throw .system(.resourceBusy) }
        guard !file.status.isLinked else { throw .linked }
        do throws(FileError) { _ = try folder.open(source) } catch {
            throw error.code == .permissionDenied ? .unreadable(opensByMode: file.opensByMode) : .system(error.code)
        }
        let (room, free): (Folder, FilePath)
        do throws(FileError) {
            (room, free) = try place(of: target)
        } catch { throw .system(error.code) }
        do throws(FileError) {
            try move(file, source, in: folder, to: room, free) { () throws(FileError) -> FilePath in
                guard candidate.bound == nil else { return source }
                let bound = FilePath(Self.binding + name.text)
                try folder.rename(source, to: folder, bound)
                try folder.sync()
                return bound
            }
        } catch {
            // rename(2) does not say which folder is not writable.
            do throws(FileError) { try room.checkWritable() } catch { throw .unwritable(room.path, error.code) }
            throw .system(error.code)
        }
        return target
    }

    func binding(_ candidate: Candidate, to name: TakenName) -> FilePath { candidate.directory / (Self.binding + name.text) }

    /// Nil if the name is no binding, or was made in another folder.
    func bound(_ name: FilePath, in folder: FilePath?) -> TakenName? {
        guard let text = String(validating: name), text.hasPrefix(Self.binding),
            let taken = TakenName(String(text.dropFirst(Self.binding.count))),
            taken.folder == folder.flatMap(String.init(validating:))
        else { return nil }
        return taken
    }

    /// In bytes.
    static let longestName = Int(NAME_MAX) - binding.utf8.count

    /// Copies and removes across file systems. Then `bind` is called between the durable copy and its final rename, and returns the
    /// source's new name.
    func move(
        _ file: OpenFile, _ name: FilePath, in folder: Folder, to room: Folder, _ target: FilePath,
        bind: (() throws(FileError) -> FilePath)? = nil
    ) throws(FileError) {
        do { try folder.rename(name, to: room, target) } catch {
            guard error.code == .improperLink else { throw error }
            return try copy(file, name, in: folder, to: room, target, bind: bind)
        }
        // Another writer swapped the file: move it back.
        guard let moved = room.status(of: target), !moved.isSame(as: file.status) else { return }
        do { try room.rename(target, to: folder, name) } catch {
            try room.rename(target, to: folder, FilePath("returned-\(UInt64.random(in: .min ... .max))"))
        }
        throw FileError(.resourceBusy, room.path / target)
    }

    private func copy(
        _ file: OpenFile, _ name: FilePath, in folder: Folder, to room: Folder, _ target: FilePath,
        bind: (() throws(FileError) -> FilePath)?
    ) throws(FileError) {
        do throws(FileError) {
            // Fails early if the original could not be removed.
            try folder.checkWritable()
            let source = try folder.open(name)
            guard source.status.isSame(as: file.status) else { throw FileError(.resourceBusy, source.path) }
            try room.write(try contentToCopy(of: source), to: Self.draft, mode: source.status.st_mode & 0o777 | 0o600)
            let name = try bind?() ?? name
            guard let after = folder.status(of: name), after.isSame(as: source.status), after.hasContent(of: source.status) else {
                throw FileError(.resourceBusy, source.path)
            }
            try room.rename(Self.draft, to: room, target)
            do throws(FileError) {
                try room.sync()
                try folder.unlink(name)
            } catch {
                room.remove(target)
                throw error
            }
        } catch {
            room.remove(Self.draft)
            throw error
        }
    }

    private func contentToCopy(of file: OpenFile) throws(FileError) -> Data {
        do { return try file.content(atMost: Mutation.largestPayload) } catch {
            switch error {
            case .notRegular: throw FileError(.tooManySymbolicLinkLevels, file.path)
            case .linked: throw FileError(.tooManyLinks, file.path)
            case .tooLarge: throw FileError(.fileTooLarge, file.path)
            case .system(let error): throw error
            }
        }
    }
}
