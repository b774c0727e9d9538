import Delivery
import Foundation
import StationSupport
import TestSupport
import Vault

/// A key of which bytes have flipped, before a start with it.
struct BrokenKey {
    /// What has flipped says nothing, as an end of line does: it is the same key.
    let isStillRight: Bool
    private let station: TestStation
    private let right: Data

    /// Flips bytes of the station's key, and now and then has its daemon believe that the last run crashed.
    init(of station: TestStation, _ generator: inout SplitMix64) async throws {
        self.station = station
        let path = station.directory("state/homing.key")
        right = try Data(contentsOf: URL(fileURLWithPath: path))
        let broken = try Flips.inFile(path, atMost: 4, &generator) ?? Data()
        isStillRight = VaultKey(parsing: broken) == VaultKey(parsing: right)
        if Bool.random(using: &generator) { try Data("!".utf8).write(to: URL(fileURLWithPath: station.directory("state/crashed"))) }
    }

    /// What is wrong with a start: it goes through, does not say what to do, or changes something. Nothing where the key is still right.
    func isRefused() async throws -> [String] {
        if isStillRight { return [] }
        var before = try everything()
        let daemon = try WatchedDaemon(station, [:], logTo: station.directory("refused"))
        let start = await daemon.starts(within: .seconds(60))
        guard start == .ended else {
            _ = await daemon.ends(by: SIGKILL, within: .seconds(5))
            return ["a start with another key ends in \(start): \(daemon.said)"]
        }
        var problems: [String] = []
        let remedies = ["Put the right key there", "Put the old key back"]
        let wrong = daemon.wrongEnd(places: [station.directory("state/homing.key")], reasons: remedies)
        if let wrong { problems.append("another key: \(wrong)") }
        if daemon.endedWell { problems.append("another key: the daemon ended by itself and reported success") }
        if !daemon.said.contains("/state/homing.key ") || !remedies.contains(where: daemon.said.contains) {
            problems.append("another key: the daemon says ‘\(daemon.said)’")
        }
        let after = try everything()
        // Where it is missing it is made, empty, before the key is looked at.
        if before["crashed"] == nil { before["crashed"] = Data() }
        for path in Set(before.keys).union(after.keys).sorted() where before[path] != after[path] {
            problems.append("another key: the start that was refused has changed \(path)")
        }
        return problems
    }

    /// Puts the right one back.
    func restore() throws { try right.write(to: URL(fileURLWithPath: station.directory("state/homing.key"))) }

    /// What each file of the state directory holds, but for the lock.
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
