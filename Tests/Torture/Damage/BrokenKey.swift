import Foundation
import StationSupport
import SyncModel
import TestSupport
import Vault

struct BrokenKey {
    /// True if the flipped bytes do not change the key, such as a line end.
    let isStillRight: Bool
    private let station: TestStation
    private let right: Data

    /// Also makes the daemon believe, sometimes, that the last run crashed.
    init(of station: TestStation, _ generator: inout SplitMix64) async throws {
        self.station = station
        let path = station.directory("state/homing.key")
        right = try Data(contentsOf: URL(fileURLWithPath: path))
        let broken = try Flips.inFile(path, atMost: 4, &generator) ?? Data()
        isStillRight = VaultKey(parsing: broken) == VaultKey(parsing: right)
        if Bool.random(using: &generator) { try Data("!".utf8).write(to: URL(fileURLWithPath: station.directory("state/crashed"))) }
    }

    /// Checks that a start with the broken key fails, says what to do, and changes nothing.
    func isRefused() async throws -> [String] {
        if isStillRight { return [] }
        var before = try everything()
        let daemon = try WatchedDaemon(station, [:], logTo: station.directory("refused"))
        let start = await daemon.starts(within: .seconds(60))
        guard start == .ended else {
            _ = await daemon.ends(by: SIGKILL, within: .seconds(5))
            return ["a start with another key must fail, found ‘\(start)’: \(daemon.said)"]
        }
        var problems: [String] = []
        let remedies = ["Put the right key there", "Put the old key back"]
        let wrong = daemon.wrongEnd(places: [station.directory("state/homing.key")], reasons: remedies)
        if let wrong { problems.append("another key: \(wrong)") }
        if daemon.endedWell { problems.append("another key: the daemon exited by itself and reported success") }
        if !daemon.said.contains("/state/homing.key ") || !remedies.contains(where: daemon.said.contains) {
            problems.append("another key: the daemon says ‘\(daemon.said)’")
        }
        let after = try everything()
        // Created empty before the daemon checks the key.
        if before["crashed"] == nil { before["crashed"] = Data() }
        for path in Set(before.keys).union(after.keys).sorted() where before[path] != after[path] {
            problems.append("another key: the failed start changed \(path)")
        }
        return problems
    }

    func restore() throws { try right.write(to: URL(fileURLWithPath: station.directory("state/homing.key"))) }

    /// All files except the lock.
    private func everything() throws -> [String: Data] {
        let state = station.directory("state")
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: state) where path != "lock" {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(state)/\(path)", isDirectory: &isFolder) else { continue }
            files[path] = isFolder.boolValue ? Data() : try Data(contentsOf: URL(fileURLWithPath: "\(state)/\(path)"))
        }
        return files
    }
}
