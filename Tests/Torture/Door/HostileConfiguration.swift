import Backends
import Delivery
import Foundation
import Glibc
import StationSupport
import SyncDaemon
import TestSupport

/// Mutated files of `config/`, read by the daemon's readers, and some by ‘homingd check’. No reader may crash, hang, or need much memory. A refusal
/// names the place of the mistake and the expected form. No accepted file may send a secret to an address that it does not name.
struct HostileConfiguration: DoorPart {
    static let name = "configuration"
    /// False to read in a subprocess, so that a crash is reported with the number of its input. Tests read in this process.
    var inThisProcess = false

    /// The limit of processor time for one file, in seconds.
    static let patience = 10.0
    /// Seconds without progress after which the subprocess counts as hanging.
    private static let longestRead = 300.0

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        if inThisProcess {
            if Progress.isWatched { Self.limitMemory() }
            let counts = await withTaskGroup(of: Count.self, returning: [Count].self) { group in
                for start in 0..<UInt64(2) {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                continuation.resume(returning: Self.read(from: start, by: 2, seed: seed, until: deadline))
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for count in counts {
                outcome.rounds += count.inputs
                for (kind, times) in count.kinds { outcome.met("configuration: \(kind)", times) }
                outcome.counted("configurations accepted", count.accepted)
                outcome.counted("configurations refused", count.inputs - count.accepted)
                outcome.failures += count.failures.prefix(5)
            }
        } else {
            try await inAnotherProcess(until: deadline, seed: seed, into: &outcome)
            try await throughTheProgram(until: deadline, seed: seed, into: &outcome)
        }
    }

    // MARK: In this process

    /// In bytes: a reader that needs more crashes.
    private static let mostMemory: UInt = 4 << 30

    private static func limitMemory() {
        var limit = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }

    private struct Count: Sendable {
        var inputs = 0
        var accepted = 0
        var kinds: [String: Int] = [:]
        var failures: [String] = []
    }

    private static func read(from start: UInt64, by step: UInt64, seed: UInt64, until deadline: ContinuousClock.Instant) -> Count {
        var count = Count()
        for number in stride(from: start, through: .max - step, by: Int(step)) {
            Progress.note(number, of: start)
            let mutant = Mutant(number, seed: seed)
            let began = processorTime
            let verdict = judge(mutant)
            count.inputs += 1
            count.kinds[mutant.kind.rawValue, default: 0] += 1
            if verdict.isAccepted { count.accepted += 1 }
            let took = processorTime - began
            let wrong = verdict.problems + (took > patience ? ["took \(took) s of processor time"] : [])
            count.failures += wrong.map { "door: \(mutant.file), \(mutant.kind.rawValue): \($0). \(replay(seed, " --number \(number)"))" }
            if ContinuousClock.now >= deadline || count.failures.count > 20 { break }
        }
        return count
    }

    /// Processor time of this thread in seconds, which is independent of the load.
    private static var processorTime: Double {
        // `try?`: without schedstat the time is 0, and hangs are still found.
        let counts = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)
        return (counts?.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
    }

    static func replay(_ number: UInt64, seed: UInt64) throws {
        let mutant = Mutant(number, seed: seed)
        print("\(mutant.file), \(mutant.kind.rawValue):")
        print(String(decoding: mutant.bytes.prefix(20_000), as: UTF8.self))
        let verdict = judge(mutant)
        print(verdict.isAccepted ? "accepted" : "refused:\n\(verdict.said)")
        for problem in verdict.problems { print("FAILURE \(problem)") }
    }

    private struct Verdict {
        var isAccepted: Bool
        var said = ""
        var problems: [String] = []
    }

    private static func judge(_ mutant: Mutant) -> Verdict {
        do {
            let directory = try TemporaryDirectory(in: "/dev/shm")
            try mutant.place(in: directory.path)
            do throws(Mistakes) {
                if mutant.file == "homing.yaml" {
                    _ = try Configuration.load(file: directory("homing.yaml"), environment: ["HOME": "/home/ann"])
                    return Verdict(isAccepted: true, problems: mutant.mustBeRefused ? ["was accepted"] : [])
                }
                let backends = try ProfileLibrary.load(directory: directory("backends"), deviceID: "d", version: "1")
                let wrong = backends.flatMap(Destinations.problems)
                return Verdict(isAccepted: true, problems: wrong + (mutant.mustBeRefused ? ["was accepted"] : []))
            } catch {
                return Verdict(isAccepted: false, said: error.description, problems: Sayings.problems(error))
            }
        } catch {
            return Verdict(isAccepted: false, problems: ["could not be tested: \(error)"])
        }
    }

    // MARK: In a process of its own

    private func inAnotherProcess(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        let directory = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let seconds = max(1, (deadline - .now) / .seconds(1) * 0.9)
        process.arguments = [
            "door", "--part", Self.name, "--seed", "\(seed)", "--seconds", "\(seconds)", "--result", directory("result"),
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["HOMING_DOOR_PROGRESS": directory("progress")]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var before: [UInt64] = []
        var since = ContinuousClock.now
        while process.isRunning {
            try await Task.sleep(for: .milliseconds(100))
            let now = Progress.read(directory("progress"))
            if now != before { (before, since) = (now, .now) }
            guard ContinuousClock.now - since > .seconds(Self.longestRead) else { continue }
            outcome.failures.append("door: a configuration was not read within \(Self.longestRead) s. \(Self.numbers(before, seed))")
            kill(process.processIdentifier, SIGKILL)
            return process.waitUntilExit()
        }
        if process.terminationReason == .uncaughtSignal {
            outcome.failures.append(
                "door: a reader of the configuration ended the process (\(process.terminationStatus)). \(Self.numbers(before, seed))")
            return
        }
        let result = try JSONDecoder().decode(Outcome.self, from: Data(contentsOf: URL(fileURLWithPath: directory("result"))))
        outcome.rounds += result.rounds
        for (fault, times) in result.faults { outcome.met(fault, times) }
        for (what, times) in result.counts { outcome.counted(what, times) }
        outcome.failures += result.failures
    }

    private static func numbers(_ numbers: [UInt64], _ seed: UInt64) -> String {
        numbers.map { replay(seed, " --number \($0)") }.joined(separator: " or ")
    }

    // MARK: Through homingd

    /// Only some dozens, since each starts the program.
    private func throughTheProgram(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        for number in stride(from: UInt64(1_000_000_000), to: 1_000_000_300, by: 1) {
            let mutant = Mutant(number, seed: seed)
            let directory = try TemporaryDirectory(in: "/dev/shm")
            try mutant.place(in: directory.path)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            process.arguments = [
                "--as=\(Self.mostMemory)", TestStation.programs + "/homingd", "check", "--config", directory("homing.yaml"),
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let began = ContinuousClock.now
            while process.isRunning, ContinuousClock.now - began < .seconds(Self.longestRead) {
                try await Task.sleep(for: .milliseconds(5))
            }
            outcome.met("configurations through ‘homingd check’")
            let place = "door: ‘homingd check’, \(mutant.file), \(mutant.kind.rawValue)"
            let replay = Self.replay(seed, " --number \(number)")
            if process.isRunning {
                outcome.failures.append("\(place): did not end within \(Self.longestRead) s. \(replay)")
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            } else if process.terminationReason == .uncaughtSignal {
                outcome.failures.append("\(place): ended by signal \(process.terminationStatus). \(replay)")
            } else if mutant.mustBeRefused, process.terminationStatus == 0 {
                outcome.failures.append("\(place): was accepted. \(replay)")
            }
            if ContinuousClock.now >= deadline { break }
        }
    }
}

/// The numbers of the current inputs, in a file that survives a crash.
private enum Progress {
    private static let file: Int32? = ProcessInfo.processInfo.environment["HOMING_DOOR_PROGRESS"].map {
        open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    }

    static var isWatched: Bool { file != nil }

    static func note(_ number: UInt64, of reader: UInt64) {
        guard let file else { return }
        var number = number
        pwrite(file, &number, 8, off_t(reader) * 8)
    }

    static func read(_ path: String) -> [UInt64] {
        // `try?`: missing before the first input.
        let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        return data.withUnsafeBytes { bytes in (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) } }
    }
}
