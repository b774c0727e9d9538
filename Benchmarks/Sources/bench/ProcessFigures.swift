import Foundation

/// Figures from /proc.
struct ProcessFigures {
    /// In MiB.
    let resident: Double
    /// The anonymous part in MiB; the rest is the program's file, which the kernel can drop.
    let own: Double
    /// In MiB.
    let peak: Double
    /// Processor time in ticks of 10 ms.
    let ticks: Int
    /// Voluntary context switches of all threads.
    let wakeUps: Int
    /// To the disk, in bytes; 0 if the kernel does not count them.
    let written: Int

    init(_ pid: Int32) throws {
        let status = try Self.fields("/proc/\(pid)/status")
        func mebibytes(_ key: String) -> Double { (status[key].flatMap { Double($0.split(separator: " ")[0]) } ?? 0) / 1024 }
        resident = mebibytes("VmRSS")
        own = mebibytes("RssAnon")
        peak = mebibytes("VmHWM")
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        let words = stat[stat.index(after: stat.lastIndex(of: ")")!)...].split(separator: " ")
        ticks = Int(words[11])! + Int(words[12])!
        // `try?`: not every kernel has this file.
        written = (try? Self.fields("/proc/\(pid)/io"))?["write_bytes"].flatMap { Int($0) } ?? 0
        wakeUps = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").map { thread in
            try Self.fields("/proc/\(pid)/task/\(thread)/status")["voluntary_ctxt_switches"].flatMap { Int($0) } ?? 0
        }.reduce(0, +)
    }

    private static func fields(_ path: String) throws -> [String: String] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                line.firstIndex(of: ":").map {
                    (String(line[..<$0]), line[line.index(after: $0)...].trimmingCharacters(in: .whitespaces))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}
