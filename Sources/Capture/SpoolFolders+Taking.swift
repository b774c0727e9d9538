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
    func take(_ candidate: Candidate, as name: TakenName) throws(StuckFile.Cause) -> FilePath {
        let target = (name.owner == nil ? unclaimed : taken) / name.text
        let (folder, source): (Folder, FilePath)
        let file: OpenFile
        do throws(Errno) {
            (folder, source) = try place(of: candidate.path)
            file = try folder.hold(source)
        } catch { throw .system(error) }
        // The next look sees to another file that has taken its place.
        guard file.status.isPlain, candidate.isSame(as: file.status) else { throw .system(.resourceBusy) }
        guard !file.status.isLinked else { throw .linked }
        do throws(Errno) { _ = try folder.open(source) } catch {
            throw error == .permissionDenied ? .unreadable(opensByMode: file.opensByMode) : .system(error)
        }
        let (room, free): (Folder, FilePath)
        do throws(Errno) {
            (room, free) = try place(of: target)
        } catch { throw .system(error) }
        do throws(Errno) {
            try move(file, source, in: folder, to: room, free) { () throws(Errno) -> FilePath in
                guard candidate.bound == nil else { return source }
                let bound = FilePath(Self.binding + name.text)
                try folder.rename(source, to: folder, bound)
                try folder.sync()
                return bound
            }
        } catch {
            // rename(2) does not say which of the two folders it may not change.
            do throws(Errno) { try room.checkWritable() } catch { throw .unwritable(room.path, error) }
            throw .system(error)
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

    /// Renames a file that is held; copies it where it comes from another file system, and removes it there, or else the copy.
    ///
    /// - Parameter bind: called when the copy is safe and before it counts; returns the file's name from then on.
    func move(
        _ file: OpenFile, _ name: FilePath, in folder: Folder, to room: Folder, _ target: FilePath,
        bind: (() throws(Errno) -> FilePath)? = nil
    ) throws(Errno) {
        do { try folder.rename(name, to: room, target) } catch {
            guard error == .improperLink else { throw error }
            return try copy(file, name, in: folder, to: room, target, bind: bind)
        }
        // Whoever may write in the folder may have put something else there since it was checked: back with it.
        guard let moved = room.status(of: target), !moved.isSame(as: file.status) else { return }
        do { try room.rename(target, to: folder, name) } catch {
            try room.rename(target, to: folder, FilePath("returned-\(UInt64.random(in: .min ... .max))"))
        }
        throw .resourceBusy
    }

    private func copy(
        _ file: OpenFile, _ name: FilePath, in folder: Folder, to room: Folder, _ target: FilePath, bind: (() throws(Errno) -> FilePath)?
    ) throws(Errno) {
        do throws(Errno) {
            // Before the work: what may not be removed there need not be copied.
            try folder.checkWritable()
            let source = try folder.open(name)
            guard source.status.isSame(as: file.status) else { throw .resourceBusy }
            try room.write(try contentToCopy(of: source), to: Self.draft, mode: source.status.st_mode & 0o777 | 0o600)
            let name = try bind?() ?? name
            guard let after = folder.status(of: name), after.isSame(as: source.status), after.hasContent(of: source.status) else {
                throw .resourceBusy
            }
            try room.rename(Self.draft, to: room, target)
            do throws(Errno) {
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

    private func contentToCopy(of file: OpenFile) throws(Errno) -> Data {
        do { return try file.content(atMost: Intake.largestDocument) } catch {
            switch error {
            case .notRegular: throw .tooManySymbolicLinkLevels
            case .linked: throw .tooManyLinks
            case .tooLarge: throw .fileTooLarge
            case .system(let error): throw error
            }
        }
    }
}
