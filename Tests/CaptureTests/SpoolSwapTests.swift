import Files
import Foundation
import Glibc
import Outbox
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Capture

/// An attacker with write access to `new/` replaces a folder or a file before each system call. See DroppedFilesByDescriptor.
@Suite struct SpoolSwapTests {
    /// Each victim has its own folder; all are swapped before the same call.
    private static let victims = Replacement.allCases.flatMap { [Victim(.folder, $0), Victim(.file, $0)] }

    @Test(arguments: [Move.rename, .copy]) func swappedFoldersAndFilesTouchNothingOutside(move: Move) async throws {
        try await swapBeforeEachCall(Self.victims, move)
    }

    @Test(arguments: [Replacement.link, .fifo]) func swappedUsersFolderTouchesNothingOutside(replacement: Replacement) async throws {
        try await swapBeforeEachCall([Victim(.users, replacement)], .rename)
    }

    private func swapBeforeEachCall(_ victims: [Victim], _ move: Move) async throws {
        var call = 1
        while case let run = try SwapRun(victims, before: call, move), try await run.sweep() {
            #expect(try await run.problems() == [], "before call \(call)")
            call += 1
        }
        #expect(call > 10)
    }

    /// The control: a spool that follows links is detected.
    @Test(arguments: [Place.users, .folder]) func detectsSpoolThatFollowsLinks(place: Place) async throws {
        var call = 1
        while case let run = try SwapRun([Victim(place, .link)], before: call, .rename, followsLinks: true), try await run.sweep() {
            if try await !run.problems().isEmpty { return }
            call += 1
        }
        Issue.record("nothing was noticed before any of \(call) calls")
    }

    enum Place: Sendable { case users, folder, file }
    enum Replacement: CaseIterable, Sendable { case link, linkToOtherDisk, hardLink, fifo, file, folder, nothing }
    enum Move: Sendable { case rename, copy }

    struct Victim: Sendable {
        let place: Place
        let replacement: Replacement
        init(_ place: Place, _ replacement: Replacement) { (self.place, self.replacement) = (place, replacement) }

        func swap(_ path: String, aside: String, state: String, otherDisk: String, capture: String) {
            let key = place == .file ? "/homing.key" : ""
            rename(path, aside)
            switch replacement {
            case .link: symlink(state + key, path)
            case .linkToOtherDisk: symlink(otherDisk + key, path)
            case .hardLink: link(state + "/homing.key", path)
            case .fifo: mkfifo(path, 0o666)
            case .file: _ = FileManager.default.createFile(atPath: path, contents: Data(capture.utf8))
            case .folder: mkdir(path, 0o777)
            case .nothing: break
            }
        }
    }
}

private struct SwapRun {
    private let drop: Drop
    private let otherDisk: TemporaryDirectory
    private let swaps: [Swap]
    private static let secret = Drop.capture(99)

    init(
        _ victims: [SpoolSwapTests.Victim], before call: Int, _ move: SpoolSwapTests.Move, followsLinks: Bool = false
    ) throws {
        let swaps = victims.enumerated().map { number, victim in
            Swap(before: call, of: victim.place == .users ? "/new/users" : "/new/users/\(10 + number)")
        }
        let faults = move == .copy ? FileFaults.mounted("/users") : FileFaults()
        var calls = Folder.Calls { (kind, path, target) throws(FileError) in
            let text = path.string
            for swap in swaps { swap.met(text) }
            try faults.calls.check(kind, path, target)
        }
        calls.followsLinks = followsLinks
        // In memory, because there are many runs.
        drop = try Drop(calls: calls, in: "/dev/shm")
        otherDisk = try TemporaryDirectory()
        self.swaps = swaps
        let (state, other) = (drop.directory("state"), otherDisk.path)
        let folders = victims.indices.map { "/\(10 + $0)" } + [""]
        for folder in [state, other].flatMap({ state in folders.map { state + $0 } }) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: folder + "/homing.key"))
            // Set before the modification time, so that the next read updates it even with relatime.
            setTimes(of: folder + "/homing.key", accessed: 1_000_000_000, modified: 1_700_000_000)
        }
        try drop.put(#"{"measurements":\#(Drop.capture(1)),"userId":5}"#, "new/good.json", age: 10)
        for (number, (victim, swap)) in zip(victims, swaps).enumerated() {
            let folder = "new/users/\(10 + number)"
            try drop.put(Drop.capture(100 + number), folder + "/homing.key", age: 20)
            let path =
                switch victim.place {
                case .users: drop.path("new/users")
                case .folder: drop.path(folder)
                case .file: drop.path(folder + "/homing.key")
                }
            let aside = drop.directory("aside-\(number)")
            swap.begin { victim.swap(path, aside: aside, state: state, otherDisk: other, capture: Drop.capture(200 + number)) }
        }
    }

    /// Returns false if no swap happened.
    func sweep() async throws -> Bool {
        await drop.spool.sweep()
        guard swaps.count(where: { $0.end() }) > 0 else { return false }
        for _ in 1...2 { await drop.spool.sweep() }
        return true
    }

    func problems() async throws -> [String] {
        var problems: [String] = []
        for state in [drop.directory("state"), otherDisk.path] {
            for folder in [""] + swaps.indices.map({ "/\(10 + $0)" }) {
                let key = state + folder + "/homing.key"
                var status = stat()
                guard lstat(key, &status) == 0 else { return problems + ["\(key) is gone"] }
                if status.st_atim.tv_sec != 1_000_000_000 { problems.append("\(key) was read") }
                if try String(contentsOfFile: key, encoding: .utf8) != Self.secret { problems.append("\(key) was changed") }
            }
        }
        let documents = try await drop.documents()
        if documents.contains(Self.secret) { problems.append("the key was stored") }
        if documents.count(where: { $0 == Drop.capture(1) }) != 1 { problems.append("the good file was not stored once") }
        let asides = swaps.indices.map { drop.directory("aside-\($0)") }
        let all = documents + Self.contents(below: asides + [drop.path("")])
        for number in swaps.indices {
            let count = all.count { $0 == Drop.capture(100 + number) }
            if count != 1 { problems.append("the file of user \(10 + number) is there \(count) times") }
        }
        let kept = Self.contents(below: ["taken", "refused", "unclaimed"].map(drop.path))
        if kept.contains(Self.secret) { problems.append("the key was moved") }
        let told = [drop.spool.stuckFiles.example?.path ?? ""] + drop.log.all
        for path in [drop.directory("state"), otherDisk.path] where told.contains(where: { $0.contains(path) }) {
            problems.append("told of \(path): \(told)")
        }
        return problems
    }

    /// Follows no links.
    private static func contents(below paths: [String]) -> [String] {
        paths.flatMap { path -> [String] in
            let below = FileManager.default.enumerator(atPath: path)?.compactMap { "\(path)/\($0)" } ?? []
            return ([path] + below).compactMap { path in
                var status = stat()
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
                return try? String(contentsOfFile: path, encoding: .utf8)
            }
        }
    }
}

/// Counts the calls with a path and runs `work` before one of them.
private final class Swap: Sendable {
    private let path: String
    private let left: Mutex<(calls: Int, work: (@Sendable () -> Void)?)>

    init(before call: Int, of path: String) {
        self.path = path
        left = Mutex((call, nil))
    }

    func begin(_ work: @escaping @Sendable () -> Void) { left.withLock { $0.work = work } }

    /// Returns true if the call was reached.
    func end() -> Bool {
        left.withLock { left in
            left.work = nil
            return left.calls <= 0
        }
    }

    func met(_ path: String) {
        guard path.contains(self.path) else { return }
        let work = left.withLock { left -> (@Sendable () -> Void)? in
            guard left.work != nil else { return nil }
            left.calls -= 1
            return left.calls == 0 ? left.work : nil
        }
        work?()
    }
}
